// The messages between the gateway and the process of its embedded engine over their IPC channel. Speech itself travels over HTTP; a
// connection is handed over with its order.

import type { Log, LogFields, LogLevel } from '../base/log.ts';
import type { LogEvent } from '../base/log-events.ts';
import type { ListedVoice } from './listed-voice.ts';

export type EngineOrder =
  | {
      readonly is: 'start';
      /** The only accepted credentials; made anew at each start of the gateway. `perMinute` 0: no limit. */
      readonly key: { readonly userId: string; readonly apiKey: string; readonly perMinute: number };
      /** Lines below it are not sent. */
      readonly logFrom: LogLevel;
    }
  | { readonly is: 'connection' }
  | { readonly is: 'stop' };

export type EngineNews =
  | { readonly is: 'hello' }
  | { readonly is: 'ready'; readonly voices: readonly ListedVoice[] }
  | {
      readonly is: 'log';
      readonly level: keyof Log;
      readonly event: LogEvent;
      readonly fields: LogFields | undefined;
    };
