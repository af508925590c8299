// What the gateway and the process of its embedded engine say to each other over their IPC channel. Speech itself travels
// over HTTP; a connection is handed over with its order.

import type { ListedVoice } from './listed-voice.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type EngineLogLevel = (typeof LOG_LEVELS)[number];

export type EngineOrder =
  | {
      readonly is: 'start';
      /** The only one who may speak; made anew at each start of the gateway. `perMinute` 0: no limit. */
      readonly key: { readonly userId: string; readonly apiKey: string; readonly perMinute: number };
      /** Lines below it are not told; undefined: none is. */
      readonly logFrom: EngineLogLevel | undefined;
    }
  | { readonly is: 'connection' }
  | { readonly is: 'stop' };

export type EngineNews =
  | { readonly is: 'hello' }
  | { readonly is: 'ready'; readonly voices: readonly ListedVoice[] }
  | {
      readonly is: 'log';
      readonly level: EngineLogLevel;
      readonly event: string;
      readonly fields: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
    };
