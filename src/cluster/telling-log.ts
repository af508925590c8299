// The log of a process that plays: told to the primary, for lines of several processes would tear each other apart.

import { type Log, type LogLevel, tellingLog } from '../base/log.ts';
import type { PrimaryAsks, PrimaryNews } from './messages.ts';
import type { Peer } from './peer.ts';

/** Lines below `least` are not told; all are unless it is given. */
export const createTellingLog = (primary: () => Peer<PrimaryAsks, PrimaryNews>, least?: LogLevel): Log =>
  tellingLog((level, event, fields) => primary().tell('log', { level, event, fields }), least);
