// Scripts by any service with the `/chat/completions` interface. One question, one more when the answer cannot be used,
// and then a failure: a script of our own in its place would not be what the operator has set up.

import { Agent } from 'undici';
import { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { withCited } from '../../script/script.ts';
import {
  type ChatMessage,
  chatMessages,
  chatResponseFormat,
  readChatReply,
  repairMessage,
} from './chat-script.ts';
import type { DigestSource } from './digest-source.ts';
import type { ScriptWriter } from './script-writer.ts';

export type HttpChatWriterOptions = {
  /** What stands before /chat/completions, as "https://host/v1". */
  readonly baseUrl: URL;
  /** Undefined: the service needs none. */
  readonly apiKey: string | undefined;
  readonly model: string;
  /** For one question and its whole answer. */
  readonly answerMs: number;
  /** Of the source, in words; a longer one is cut by rank. A word is one to three tokens. */
  readonly mostSourceWords: number;
  readonly digest: DigestSource;
  readonly clock: Clock;
};

export type HttpChatWriter = ScriptWriter & { close(): Promise<void> };

const MAX_REPLY_BYTES = 2 * 1024 * 1024;
const MIN_SENTENCES = 3;
/** Statuses by which services say that they do not know a field of the request. */
const NOT_UNDERSTOOD = [400, 404, 415, 422, 501];

const completionSchema = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string() }), finish_reason: z.string().nullish() }))
    .min(1),
});

type Answer = { readonly status: number; readonly body: string };

const failed = (message: string, cause?: unknown) => new AppError('script_failed', message, { cause });

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return 'does not take the key';
  if (status === 429) return 'is at its limit';
  return status >= 500 ? 'has failed' : 'has refused the request';
}

export function createHttpChatWriter(options: HttpChatWriterOptions): HttpChatWriter {
  const { baseUrl, apiKey, model, answerMs, mostSourceWords, digest, clock } = options;
  const agent = new Agent({ connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0, connections: 4 });
  const path = `${baseUrl.pathname.replace(/\/+$/, '')}/chat/completions`;

  async function post(payload: unknown, signal: AbortSignal): Promise<Answer> {
    const { statusCode, body } = await agent.request({
      origin: baseUrl.origin,
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(payload),
      signal,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Leaving the loop destroys the body and with it the connection.
      if (bytes > MAX_REPLY_BYTES) throw failed('The language model service answers without an end.');
      chunks.push(chunk);
    }
    return { status: statusCode, body: Buffer.concat(chunks).toString('utf8') };
  }

  /** One question within its time; rejects with the caller's reason or with `script_failed`. */
  async function ask(payload: unknown, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const late = new AbortController();
    const disarm = clock.after(answerMs, () =>
      late.abort(failed('The language model service has not answered in time.')),
    );
    try {
      return await post(payload, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (late.signal.aborted) throw late.signal.reason as AppError;
      throw error instanceof AppError
        ? error
        : failed('The language model service cannot be reached.', error);
    } finally {
      disarm();
    }
  }

  /** The text of the answer. A service that knows no `response_format` is asked without it. */
  async function converse(messages: readonly ChatMessage[], signal: AbortSignal): Promise<string> {
    let answer = await ask({ model, messages, response_format: chatResponseFormat }, signal);
    if (NOT_UNDERSTOOD.includes(answer.status)) answer = await ask({ model, messages }, signal);
    if (answer.status !== 200)
      throw failed(`The language model service ${reasonOf(answer.status)} (status ${answer.status}).`);
    let given: unknown;
    try {
      given = JSON.parse(answer.body);
    } catch {
      throw failed('The language model service has not answered in JSON.');
    }
    const completion = completionSchema.safeParse(given);
    if (!completion.success)
      throw failed('The answer of the language model service is not of the expected form.');
    return completion.data.choices[0]!.message.content;
  }

  return {
    async write(document, wish, signal) {
      const { language } = wish;
      const sentences = await digest({ document, language, mostWords: mostSourceWords }, signal);
      if (sentences.length < MIN_SENTENCES)
        throw new AppError('invalid_source', 'The source has too little running text for a script.');
      const known = new Set(sentences.map(({ number }) => number));
      const messages = chatMessages(sentences, document.title, wish);
      const first = await converse(messages, signal);
      const verdict = readChatReply(first, known, wish);
      if (verdict.ok) return withCited(verdict.script, sentences);
      const again: ChatMessage[] = [
        ...messages,
        { role: 'assistant', content: first },
        repairMessage(verdict.problem),
      ];
      const second = readChatReply(await converse(again, signal), known, wish);
      if (second.ok) return withCited(second.script, sentences);
      throw failed(`The language model service has written no usable script: ${second.problem}.`);
    },
    close: () => agent.destroy(),
  };
}
