// Decides whether something that was thrown means that the disk of the data folder cannot take what is to be written:
// it is full, or it cannot be written at all. What is not clearly of that kind is not called so.

export type StorageFault = 'full' | 'unavailable';

const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT'];
const UNAVAILABLE: readonly unknown[] = ['EROFS', 'EIO', 'ESTALE'];
/** Also said of sockets and programs: here only together with the path of a file. */
const FORBIDDEN: readonly unknown[] = ['EACCES', 'EPERM'];
const NO_FILE = /^(connect|listen|bind|spawn)/;
/** Causes of causes; more than this is a loop. */
const MAX_CAUSES = 8;

type Thrown = {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly path?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
};

/** Both drivers repeat the words of SQLite (sqlite3_errstr); one of them tells no number. */
function ofSqlite({ name, code, message }: Thrown): StorageFault | undefined {
  if ((name !== 'SQLite3Error' && code !== 'ERR_SQLITE_ERROR') || typeof message !== 'string')
    return undefined;
  if (message.includes('disk is full')) return 'full';
  return /disk I\/O error|readonly database|unable to open database/.test(message)
    ? 'unavailable'
    : undefined;
}

function ofSystem({ code, path, syscall }: Thrown): StorageFault | undefined {
  if (FULL.includes(code)) return 'full';
  if (UNAVAILABLE.includes(code)) return 'unavailable';
  const isOfFile = typeof path === 'string' && !NO_FILE.test(String(syscall));
  return FORBIDDEN.includes(code) && isOfFile ? 'unavailable' : undefined;
}

/** `thrown`, what caused it, and what caused that. */
export function* causesOf(thrown: unknown): Generator<Thrown> {
  let at: unknown = thrown;
  for (let depth = 0; depth < MAX_CAUSES && typeof at === 'object' && at !== null; depth++) {
    yield at;
    at = (at as Thrown).cause;
  }
}

/** Looks at `thrown` and at what caused it. Undefined: nothing says that storage is at fault. */
export function storageFaultOf(thrown: unknown): StorageFault | undefined {
  for (const cause of causesOf(thrown)) {
    const fault = ofSystem(cause) ?? ofSqlite(cause);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
