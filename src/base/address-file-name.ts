// What the file at an address is called: the last part of its path, as a name that any file system takes. An address comes from
// elsewhere, so nothing of it may name another folder, a device or a hidden file.

const MAX_NAME_CHARACTERS = 100;
/** Separators, what Windows does not take, and what is not seen. */
const UNSAFE = /[/\\:*?"<>|\p{C}\p{Zl}\p{Zp}]+/gu;
/** Devices of Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Undefined where the path ends in nothing that could be a name. */
export function fileNameOf({ pathname }: URL): string | undefined {
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // Not UTF-8 behind its percent signs: it stays as it is written.
  }
  const safe = name
    .replace(UNSAFE, ' ')
    .trim()
    .replace(/^[.\s-]+|[.\s]+$/gu, '');
  const kept = [...safe]
    .slice(-MAX_NAME_CHARACTERS)
    .join('')
    .replace(/^[.\s-]+/u, '');
  return kept === '' || DEVICE.test(kept) ? undefined : kept;
}
