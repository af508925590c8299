// The channel between two processes of one gateway: questions that are answered within a deadline or not at all, and news
// without an answer. Messages are checked, and what is under way is bounded. It ends when either process does.

import { AppError, type ErrorCode, toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { isJsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';

/** Carries messages in order, copied as the structured clone algorithm does. */
export type Line = {
  send(message: object, onSent: (error: Error | null) => void): void;
  onMessage(listener: (message: unknown) => void): void;
};

/** What may be asked of a process, and what it may be told, by name. */
export type Asks = Readonly<Record<string, (question: never) => unknown>>;
export type News = Readonly<Record<string, unknown>>;

type Question<F> = F extends (question: infer Q) => unknown ? Q : never;
type Answer<F> = F extends (question: never) => infer A ? A : never;

export type Answers<A extends Asks> = {
  readonly [Name in keyof A]: (
    question: Question<A[Name]>,
    /** Aborted when the answer is not wanted any more. */
    signal: AbortSignal,
  ) => Answer<A[Name]> | Promise<Answer<A[Name]>>;
};
export type Listeners<N extends News> = { readonly [Name in keyof N]: (news: N[Name]) => void };

export type AskOptions<A> = {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** An answer that came after its deadline. */
  readonly onLate?: (answer: A) => void;
};

export type Peer<TheirAsks extends Asks, TheirNews extends News> = {
  /** Rejects with the refusal of the other side, and with `busy` when it does not answer in time or is gone. */
  ask<Name extends keyof TheirAsks & string>(
    name: Name,
    question: Question<TheirAsks[Name]>,
    options: AskOptions<Answer<TheirAsks[Name]>>,
  ): Promise<Answer<TheirAsks[Name]>>;
  /** Never throws; what cannot be sent is lost with the line. */
  tell<Name extends keyof TheirNews & string>(name: Name, news: TheirNews[Name]): void;
  /** The other side is gone. */
  close(): void;
};

export type PeerOptions<MyAsks extends Asks, MyNews extends News> = {
  readonly line: Line;
  readonly answers: Answers<MyAsks>;
  readonly listeners: Listeners<MyNews>;
  readonly clock: Clock;
  readonly log: Log;
  /** The other side reads nothing: the queue for it is full. */
  readonly onStuck: () => void;
};

/** Questions without an answer: far beyond what a process that is alive leaves open. */
const MAX_UNDER_WAY = 20_000;
/** Messages that have not left this process. */
const MAX_UNSENT = 50_000;
/** An answer that comes later than this after its deadline is ignored. */
const LATE_MS = 10_000;

type Refused = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
};
type Message =
  | { readonly is: 'ask'; readonly id: number; readonly name: string; readonly body: unknown }
  | { readonly is: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly is: 'refusal'; readonly id: number; readonly body: Refused }
  | { readonly is: 'cancel'; readonly id: number }
  | { readonly is: 'news'; readonly name: string; readonly body: unknown };

const KINDS: ReadonlySet<unknown> = new Set(['ask', 'answer', 'refusal', 'cancel', 'news']);

function readMessage(message: unknown): Message | undefined {
  if (!isJsonObject(message) || !KINDS.has(message.is)) return undefined;
  const isNamed = message.is === 'ask' || message.is === 'news';
  if (isNamed && typeof message.name !== 'string') return undefined;
  if (message.is !== 'news' && !Number.isSafeInteger(message.id)) return undefined;
  return message as unknown as Message;
}

const refusedBy = ({ code, message, retryAfterMs }: AppError): Refused => ({ code, message, retryAfterMs });
const refusal = ({ code, message, retryAfterMs }: Refused): AppError =>
  new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
const unanswered = (why: string) =>
  new AppError('busy', `Another process of the gateway ${why}.`, { retryAfterMs: 1000 });

type Waiting = {
  readonly settle: (message: Message) => void;
  readonly fail: (error: Error) => void;
};

export function createPeer<
  TheirAsks extends Asks,
  TheirNews extends News,
  MyAsks extends Asks,
  MyNews extends News,
>(options: PeerOptions<MyAsks, MyNews>): Peer<TheirAsks, TheirNews> {
  const { line, clock, log } = options;
  const answers = new Map(Object.entries(options.answers as Record<string, Answers<Asks>[string]>));
  const listeners = new Map(Object.entries(options.listeners as Record<string, (news: unknown) => void>));
  const waiting = new Map<number, Waiting>();
  const answering = new Map<number, AbortController>();
  let asked = 0;
  let unsent = 0;
  let phase: 'open' | 'closed' = 'open';

  const close = () => {
    phase = 'closed';
    for (const { fail } of [...waiting.values()]) fail(unanswered('has ended'));
    for (const controller of answering.values()) controller.abort(unanswered('has ended'));
    waiting.clear();
    answering.clear();
  };
  const send = (message: Message) => {
    if (phase === 'closed') return;
    if (unsent >= MAX_UNSENT) {
      log.error('process_not_reading', { unsent });
      options.onStuck();
      return close();
    }
    unsent += 1;
    line.send(message, () => {
      unsent -= 1;
    });
  };

  const answer = (id: number, name: string, question: unknown) => {
    const give = answers.get(name);
    if (give === undefined) return log.error('process_question_unknown', { name });
    const controller = new AbortController();
    answering.set(id, controller);
    const done = (message: Message) => {
      answering.delete(id);
      send(message);
    };
    const refuse = (thrown: unknown) => {
      const error = toAppError(thrown);
      if (!(thrown instanceof AppError))
        log.error('a question failed inside', { name, cause: String(error.cause) });
      done({ is: 'refusal', id, body: refusedBy(error) });
    };
    try {
      const given = give(question as never, controller.signal);
      // What is known at once is told at once: an answer more in a microtask would be one less of the others.
      if (given instanceof Promise) given.then((body: unknown) => done({ is: 'answer', id, body }), refuse);
      else done({ is: 'answer', id, body: given });
    } catch (thrown) {
      refuse(thrown);
    }
  };
  const hear = (name: string, news: unknown) => {
    const listen = listeners.get(name);
    if (listen === undefined) return log.error('process_news_unknown', { name });
    try {
      listen(news);
    } catch (fault) {
      log.error('what a process told failed inside', { name, cause: String(fault) });
    }
  };
  line.onMessage((raw) => {
    if (phase === 'closed') return;
    const message = readMessage(raw);
    if (message === undefined) return log.error('process_message_broken');
    if (message.is === 'ask') answer(message.id, message.name, message.body);
    else if (message.is === 'news') hear(message.name, message.body);
    else if (message.is === 'cancel') answering.get(message.id)?.abort(unanswered('asks no more'));
    else waiting.get(message.id)?.settle(message);
  });

  return {
    ask(name, question, { deadlineMs, signal, onLate }) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason as Error);
        if (phase === 'closed') return reject(unanswered('has ended'));
        if (waiting.size >= MAX_UNDER_WAY) return reject(unanswered('has too many questions to answer'));
        const id = ++asked;
        let isAwaited = true;
        let disarm = () => {};
        const forget = () => {
          disarm();
          waiting.delete(id);
          signal?.removeEventListener('abort', leave);
        };
        /** The deadline has passed; a late answer is still recognised for a while. */
        const giveUp = (reason: unknown) => {
          forget();
          isAwaited = false;
          waiting.set(id, { settle, fail: forget });
          disarm = clock.after(LATE_MS, forget);
          send({ is: 'cancel', id });
          reject(reason as Error);
        };
        const leave = () => giveUp(signal?.reason);
        const settle = (message: Message) => {
          forget();
          if (message.is === 'refusal') return reject(refusal(message.body));
          if (message.is !== 'answer') return;
          type Given = Parameters<typeof resolve>[0] & Parameters<NonNullable<typeof onLate>>[0];
          if (isAwaited) resolve(message.body as Given);
          else onLate?.(message.body as Given);
        };
        waiting.set(id, {
          settle,
          fail(error) {
            forget();
            reject(error);
          },
        });
        disarm = clock.after(deadlineMs, () => giveUp(unanswered(`has not answered in ${deadlineMs} ms`)));
        signal?.addEventListener('abort', leave, { once: true });
        send({ is: 'ask', id, name, body: question });
      });
    },
    tell: (name, news) => send({ is: 'news', name, body: news }),
    close,
  };
}
