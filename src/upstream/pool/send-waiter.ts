// One request in the line in front of the keys: what it is for, how long it may wait, and which keys it will take.

import type { AppError } from '../../base/app-error.ts';
import type { OpenOptions } from '../speech-upstream.ts';
import type { Send, Wish } from './send-grants.ts';
import type { SendPatience } from './send-patience.ts';
import type { QueueEntry } from './work-queue.ts';

export type SendWaiter = QueueEntry &
  Wish &
  Pick<OpenOptions, 'onQueued'> & {
    readonly patience: SendPatience;
    /** Until then it is the store that takes its time, and no wait of its own. */
    answerByMs: number;
    /** `any`: the keys that suit best had nothing. */
    choice: 'best' | 'any';
    /** The keys that it insists on had nothing: not to be asked for it before. */
    askAgainMs: number;
    readonly grant: (send: Send) => void;
    readonly refuse: (error: AppError) => void;
  };
