// The log port: one line per event, structured fields, never a key or spoken text.

import type { LogEvent } from './log-events.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = {
  debug(event: LogEvent, fields?: LogFields): void;
  info(event: LogEvent, fields?: LogFields): void;
  warn(event: LogEvent, fields?: LogFields): void;
  error(event: LogEvent, fields?: LogFields): void;
};

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

type ForwardLine = (level: keyof Log, event: LogEvent, fields: LogFields | undefined) => void;

/** The log of a process or thread whose lines another one writes; lines below `least` are dropped, none by default. */
export function forwardingLog(forward: ForwardLine, least: LogLevel = 'trace'): Log {
  const at = (level: keyof Log): Log['info'] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least)
      ? () => {}
      : (event, fields) => forward(level, event, fields);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** What may be logged of a fault whose message may hold spoken text: its kind, never its words. */
export const faultKind = (fault: unknown): string => (fault instanceof Error ? fault.name : typeof fault);

/** Of a line about what was refused or failed with this HTTP status: whether an operator should see it. */
export const levelOfStatus = (status: number): 'warn' | 'info' =>
  status >= 500 || status === 401 || status === 403 || status === 429 ? 'warn' : 'info';
