// Documents made into something to hear: the form, and all that this user has had made, here or by any other way in. The list
// is read anew while it is seen, often while something is being made.

import type { ListedVoice } from '../../speech/listed-voice.ts';
import type { PlayNoteRecord } from '../../speech/service-records.ts';
import { type GatewayRest, statusOf } from '../gateway-rest.ts';
import { type NotePage, nextOf, withNewest, withOlder } from '../playnote-list.ts';
import { firstOf, offerVoices } from './composer.ts';
import { confirmFirst } from './confirm-dialog.ts';
import { pageElement, setText } from './page-element.ts';
import { createPlayNoteItem, kindOf, type PlayNoteItem, styleName, withStyleNames } from './playnote-item.ts';

export type PlayNoteView = {
  /** The view is seen now. */
  enter(): void;
  leave(): void;
  offerVoices(voices: readonly ListedVoice[]): void;
};

const PATH = '/api/v1/playnotes';
const ASK_WHILE_MAKING_MS = 1000;
const ASK_EVERY_MS = 4000;
const STYLES = ['podcast', 'executive-briefing', 'childrens-story', 'debate'] as const;

export type PlayNoteViewOptions = {
  readonly rest: GatewayRest;
  /** For a screen reader. */
  readonly tell: (text: string) => void;
};

export function createPlayNoteView(options: PlayNoteViewOptions): PlayNoteView {
  const { rest } = options;
  const form = pageElement('note-form', HTMLFormElement);
  const file = pageElement('note-file', HTMLInputElement);
  const style = pageElement('note-style', HTMLSelectElement);
  const voice1 = pageElement('note-voice1', HTMLSelectElement);
  const voice2 = pageElement('note-voice2', HTMLSelectElement);
  const make = pageElement('note-make', HTMLButtonElement);
  const notice = pageElement('note-notice', HTMLElement);
  const list = pageElement('notes', HTMLUListElement);
  const items = new Map<string, PlayNoteItem>();
  const about = pageElement('notes-about', HTMLElement);
  const older = pageElement('notes-older', HTMLButtonElement);
  let known: readonly PlayNoteRecord[] = [];
  let olderAt: string | undefined;
  let phase: 'seen' | 'left' = 'left';
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What was sent from this form and is still being made: its document stays chosen until it is known to be good. */
  let sent: { readonly id: string; readonly source: File } | undefined;
  let isSending = false;
  let names = new Map<string, string>();
  style.append(...STYLES.map((name) => new Option(styleName(name), name)));

  const tell = (error: unknown) => {
    setText(notice, withStyleNames(error instanceof Error ? error.message : String(error)));
  };
  /** At the form, and in sight of whoever is there. */
  function tellAtForm(text: string): void {
    setText(notice, text);
    const { activeElement } = document;
    if (form.contains(activeElement) || activeElement === document.body)
      notice.scrollIntoView({ block: 'nearest' });
  }

  const whose = () => `user ${rest.credentials?.userId ?? ''}`;

  function showAll(notes: readonly PlayNoteRecord[]): void {
    const focusedAt = known.findIndex(({ id }) => items.get(id)?.element.contains(document.activeElement));
    known = notes;
    const there = new Set(notes.map(({ id }) => id));
    for (const [id, { element }] of items) {
      if (there.has(id)) continue;
      element.remove();
      items.delete(id);
    }
    for (const [at, note] of notes.entries()) {
      const item = items.get(note.id) ?? createPlayNoteItem((record) => void remove(record));
      items.set(note.id, item);
      item.show(note);
      // What is in its place is not moved: moving would stop what it plays.
      if (list.children[at] !== item.element) list.insertBefore(item.element, list.children[at] ?? null);
    }
    // The keyboard was on one that has gone, here or elsewhere: it goes on with the one in its place.
    if (focusedAt >= 0 && document.activeElement === document.body) {
      const next = notes[focusedAt] ?? notes.at(-1);
      (next === undefined ? pageElement('notes-title', HTMLElement) : items.get(next.id)!).focus();
    }
    setText(
      about,
      notes.length === 0
        ? `Nothing yet. What ${whose()} makes here, with the command line or over HTTP is listed here.`
        : `Whatever ${whose()} has made here, with the command line or over HTTP, newest first.`,
    );
    followSent();
  }

  /** A document may be refused long after it was taken, when it is read: that is told where it was sent from. */
  function followSent(): void {
    if (sent === undefined) return;
    const { id, source } = sent;
    const note = known.find((one) => one.id === id);
    if (note?.status === 'generating') return;
    sent = undefined;
    if (note?.status === 'failed') {
      const why = withStyleNames(note.error?.message ?? 'It failed.');
      return tellAtForm(`${source.name} was not made into a PlayNote. ${why}`);
    }
    setText(notice, '');
    // Unless another one has been chosen meanwhile.
    if (file.files?.[0] === source) file.value = '';
    if (note !== undefined) options.tell(`“${note.name}”, ${kindOf(note)}, is ready.`);
  }

  function showOlder(): void {
    const hadFocus = document.activeElement === older;
    older.hidden = olderAt === undefined;
    if (hadFocus && older.hidden) items.get(known.at(-1)?.id ?? '')?.focus();
  }

  async function readPage(path: string): Promise<NotePage<PlayNoteRecord>> {
    const answer = await rest.ask(path);
    return { notes: (await answer.json()) as PlayNoteRecord[], next: nextOf(answer.headers.get('Link')) };
  }

  async function ask(): Promise<void> {
    clearTimeout(timer);
    try {
      const page = await readPage(PATH);
      showAll(withNewest(known, page));
      if (known.length === page.notes.length) olderAt = page.next;
      showOlder();
    } finally {
      clearTimeout(timer);
      const isMaking = known.some(({ status }) => status === 'generating');
      if (phase === 'seen')
        timer = setTimeout(() => void ask().catch(tell), isMaking ? ASK_WHILE_MAKING_MS : ASK_EVERY_MS);
    }
  }

  async function askOlder(): Promise<void> {
    if (olderAt === undefined) return;
    const page = await readPage(olderAt);
    olderAt = page.next;
    showAll(withOlder(known, page));
    showOlder();
  }

  async function remove(record: PlayNoteRecord): Promise<void> {
    const { id, name, status: made } = record;
    const kind = kindOf(record);
    const answer = await confirmFirst({
      title: 'Delete this PlayNote?',
      text:
        made === 'generating'
          ? `“${name}”, ${kind}, is stopped and deleted.`
          : `“${name}”, ${kind}, is deleted with all of its files. This cannot be undone.`,
      action: 'Delete it',
    });
    if (answer === 'left') return;
    try {
      await rest.ask(`${PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' });
    } catch (error) {
      // Deleted meanwhile is what was wanted.
      if (statusOf(error) !== 404) return tell(error);
    }
    showAll(known.filter((note) => note.id !== id));
    options.tell(`“${name}”, ${kind}, has been deleted.`);
    await ask().catch(tell);
  }

  async function create(): Promise<void> {
    const [source] = file.files ?? [];
    if (source === undefined || isSending) return;
    const body = new FormData();
    const fields = {
      synthesisStyle: style.value,
      voice1: voice1.value,
      voice1Name: names.get(voice1.value) ?? '',
      ...(voice2.value !== '' && { voice2: voice2.value, voice2Name: names.get(voice2.value) ?? '' }),
    };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('sourceFile', source, source.name);
    // Not `disabled`, which would take the keyboard's place on the page away.
    isSending = true;
    make.setAttribute('aria-disabled', 'true');
    setText(notice, 'Sending the document');
    try {
      const record = await rest.json<PlayNoteRecord>(PATH, { method: 'POST', body });
      setText(notice, `${source.name} is being made into a PlayNote.`);
      sent = { id: record.id, source };
      showAll([record, ...known]);
      options.tell('The document has been taken. It is made into a PlayNote now.');
      await ask();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      tellAtForm(`${source.name} was not taken. ${withStyleNames(why)}`);
    } finally {
      isSending = false;
      make.removeAttribute('aria-disabled');
    }
  }

  older.addEventListener('click', () => void askOlder().catch(tell));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void create();
  });
  const drop = form.querySelector<HTMLElement>('.drop')!;
  // The field itself takes what is dropped on it; the frame around it does so, too.
  drop.addEventListener('dragover', (event) => {
    event.preventDefault();
    drop.dataset.over = '';
  });
  drop.addEventListener('dragleave', () => delete drop.dataset.over);
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    delete drop.dataset.over;
    if (event.dataTransfer !== null && event.dataTransfer.files.length > 0)
      file.files = event.dataTransfer.files;
  });

  return {
    enter() {
      phase = 'seen';
      void ask().catch(tell);
    },
    leave() {
      phase = 'left';
      clearTimeout(timer);
    },
    offerVoices(voices) {
      names = new Map(voices.map(({ id, name }) => [id, name ?? '']));
      for (const [select, gender] of [
        [voice1, 'Female'],
        [voice2, 'Male'],
      ] as const) {
        offerVoices(select, voices);
        for (const option of select.options)
          option.defaultSelected = option.value === firstOf(voices, gender);
      }
      const none = new Option('None', '');
      voice2.prepend(none);
      voice2.value = firstOf(voices, 'Male') ?? '';
    },
  };
}
