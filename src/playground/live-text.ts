// Text that is spoken while it is typed: what has been sent cannot be unsaid, so only what is added at the end is new.

export type LiveText =
  | { readonly kind: 'added'; readonly text: string }
  | { readonly kind: 'nothing' }
  /** What was sent has been changed. */
  | { readonly kind: 'unsayable' };

/** What `now` in the editor says beyond `sent`. A surrogate whose other half has not been typed waits for it. */
export function readLiveText(sent: string, now: string): LiveText {
  if (!now.startsWith(sent)) return { kind: 'unsayable' };
  const added = now.slice(sent.length).replace(/[\uD800-\uDBFF]$/, '');
  return added === '' ? { kind: 'nothing' } : { kind: 'added', text: added };
}
