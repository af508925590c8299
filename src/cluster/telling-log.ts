// The log of a process that plays: told to the primary, for lines of several processes would tear each other apart.

import type { Log } from '../base/log.ts';
import type { LogLine, PrimaryAsks, PrimaryNews } from './messages.ts';
import type { Peer } from './peer.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Lines below `least` are not told; all are unless it is given. */
export function createTellingLog(
  primary: () => Peer<PrimaryAsks, PrimaryNews>,
  least: (typeof LEVELS)[number] = 'trace',
): Log {
  const at = (level: LogLine['level']): Log['info'] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least)
      ? () => {}
      : (event, fields) => primary().tell('log', { level, event, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
