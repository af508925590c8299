// The log port on pino: JSON lines on stderr, so that stdout stays free for what a command prints.

import pino from 'pino';
import type { Log, LogFields } from './log.ts';

export function createPinoLog(level: string): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  const at = (severity: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) =>
    logger[severity](fields ?? {}, event);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
