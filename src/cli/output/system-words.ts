// Why a file could not be opened or written, in words: the system's code alone helps nobody who does not know it.

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EAGAIN: 'it takes nothing now',
  EBUSY: 'it is in use',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the device failed',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of the path is no folder',
  ENXIO: 'nobody is at the other end',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ETXTBSY: 'it is a program that runs',
};

/** A command that was interrupted has no fault to tell: throws `error` again when it says that. */
export function passInterruptOn(error: unknown): void {
  if (error instanceof Error && error.name === 'AbortError') throw error;
}

/** `no space is left on the device (ENOSPC)`. */
export function systemWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  const words = WORDS[code];
  return words === undefined ? `(${code})` : `${words} (${code})`;
}
