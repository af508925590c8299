// What Voxgate says to its operator. One line an event, structured fields, never a key or spoken text.

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

type TellLine = (level: keyof Log, event: string, fields: LogFields | undefined) => void;

/** The log of a process whose lines another one writes. Lines below `least` are not told; all are unless it is given. */
export function tellingLog(tell: TellLine, least: LogLevel = 'trace'): Log {
  const at = (level: keyof Log): Log['info'] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least) ? () => {} : (event, fields) => tell(level, event, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
