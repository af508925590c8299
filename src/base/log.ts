// What Voxgate says to its operator. One line an event, structured fields, never a key or spoken text.

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
