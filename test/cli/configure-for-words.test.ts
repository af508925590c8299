import { describe, expect, it } from 'vitest';
import { configureForWords } from '../../src/cli/configure-for-words.ts';
import type { SessionClient } from '../../src/client/voxgate-client.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';

type Waiter = {
  readonly fits: (event: ServerEvent) => boolean;
  readonly settle: (event: ServerEvent | Error) => void;
};

/** A gateway that answers `configure`; with `refuses` it knows no list of words. */
function fakeClient(refuses: 'nothing' | 'the list' | 'everything' = 'nothing') {
  let waiters: Waiter[] = [];
  const configured: Record<string, unknown>[] = [];
  const say = (event: ServerEvent) => {
    const fitting = waiters.filter(({ fits }) => fits(event));
    waiters = waiters.filter((waiter) => !fitting.includes(waiter));
    for (const { settle } of fitting) settle(event);
  };
  const client = {
    next: (type: string, fits: (event: never) => boolean = () => true) =>
      new Promise((resolve, reject) => {
        waiters.push({
          fits: (event) => event.type === type && fits(event as never),
          settle: (event) => (event instanceof Error ? reject(event) : resolve(event)),
        });
      }),
    send(command: Record<string, unknown>) {
      configured.push(command);
      const isRefused = refuses === 'everything' || (refuses === 'the list' && 'wordList' in command);
      if (isRefused)
        say({
          type: 'error',
          scope: 'session',
          code: 'invalid_request',
          message: 'unknown field',
        } as ServerEvent);
      else say({ type: 'configured' } as ServerEvent);
    },
  } as unknown as SessionClient;
  const words = (more: boolean) =>
    say({ type: 'words', turn: 'say', line: 0, words: [], estimated: true, more });
  const hangUp = () => {
    for (const { settle } of waiters.splice(0)) settle(new Error('gone'));
  };
  return { client, configured, words, hangUp };
}

/** Whether `wait` is over, when everything has been done that can be. */
async function isOver(wait: Promise<unknown>): Promise<boolean> {
  let over = false;
  void wait.then(() => {
    over = true;
  });
  await new Promise(setImmediate);
  return over;
}

describe('configuring for words', () => {
  it('asks for the list, and waits for its last part', async () => {
    const { client, configured, words } = fakeClient();
    const terminal = createFakeTerminal([]);
    const listed = await configureForWords(client, { captions: 'words' }, terminal);
    expect(configured).toEqual([{ type: 'configure', captions: 'words', wordList: 'final' }]);
    words(true);
    const wait = listed();
    expect(await isOver(wait)).toBe(false);
    words(false);
    expect(await wait).toBe('listed');
    expect(terminal.complaints).toEqual([]);
  });

  it('knows a list that came before it was waited for', async () => {
    const { client, words } = fakeClient();
    const listed = await configureForWords(client, {}, createFakeTerminal([]));
    words(false);
    expect(await isOver(listed())).toBe(true);
  });

  it('does without the list where the gateway does not know it', async () => {
    const { client, configured } = fakeClient('the list');
    const listed = await configureForWords(client, { captions: 'words' }, createFakeTerminal([]));
    expect(configured.at(-1)).toEqual({ type: 'configure', captions: 'words' });
    expect(await isOver(listed())).toBe(true);
  });

  it('fails with what is refused without the list as well', async () => {
    const { client } = fakeClient('everything');
    await expect(configureForWords(client, {}, createFakeTerminal([]))).rejects.toThrow('unknown field');
  });

  it('waits no longer than the user or the connection, and says so', async () => {
    const gone = fakeClient();
    const first = createFakeTerminal([]);
    const wait = (await configureForWords(gone.client, {}, first))();
    gone.hangUp();
    expect(await wait).toBe('late');
    expect(first.complaints).toHaveLength(1);

    const controller = new AbortController();
    const second = { ...createFakeTerminal([]), interrupted: controller.signal };
    const interrupted = (await configureForWords(fakeClient().client, {}, second))();
    expect(await isOver(interrupted)).toBe(false);
    controller.abort();
    expect(await isOver(interrupted)).toBe(true);
    expect(second.complaints).toHaveLength(1);
  });
});
