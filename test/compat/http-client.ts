// What the own client of every vendor has to meet with before the gateway over HTTP, whatever it calls things:
// interruption, a slow speech service, one that refuses for a while, and a wrong key.

import { expect, it } from 'vitest';
import {
  A_MOMENT_MS,
  msUntilLeft,
  slowly,
  startLimitedRigs,
  startVendorRig,
  type VendorRig,
} from '../http/compat/vendor-rig.ts';
import { heardSound } from '../support/heard-sound.ts';
import { SPEECH_MS } from '../support/running-gateway.ts';
import { keyOf } from '../support/running-service.ts';

export type HttpClient = {
  readonly rig: () => VendorRig;
  /** Speaks a text as MP3, to its end. */
  readonly speak: (how: {
    readonly rig: VendorRig;
    readonly apiKey: string;
    readonly maxRetries: number;
  }) => Promise<ArrayBuffer | Buffer>;
  /** Begins to speak, has some of the sound, and answers with how its user leaves. */
  readonly begin: () => Promise<() => unknown>;
  /** What the client throws for a limit of the speech service, and for a wrong key: matchers. */
  readonly throws: { readonly limited: unknown; readonly unauthorized: unknown };
};

const expectWhole = (sound: ArrayBuffer | Buffer) =>
  expect(heardSound(sound, 'audio/mpeg').ms).toBeGreaterThan(SPEECH_MS - 100);

export function itMeetsTheGateway({ rig, speak, begin, throws }: HttpClient): void {
  const apiKey = keyOf('ann');

  it('that interrupts a speech takes the request at the speech service with it', async () => {
    expect(await msUntilLeft(rig(), begin)).toBeLessThan(A_MOMENT_MS);
  });

  // These two wait, and do so together.
  it.concurrent('waits for a slow speech service', async () => {
    const slow = await startVendorRig({});
    slow.script = slowly;
    expectWhole(await speak({ rig: slow, apiKey, maxRetries: 0 }));
    await slow.close();
  });

  it.concurrent('is told of a limit of the speech service, and tries again by itself', async () => {
    const { always, once } = await startLimitedRigs();
    await expect(speak({ rig: always, apiKey, maxRetries: 0 })).rejects.toEqual(throws.limited);
    expectWhole(await speak({ rig: once, apiKey, maxRetries: 4 }));
    await Promise.all([always.close(), once.close()]);
  });

  it('is told of a wrong key', async () => {
    const refused = speak({ rig: rig(), apiKey: 'wrong', maxRetries: 0 });
    await expect(refused).rejects.toEqual(throws.unauthorized);
  });
}

/** Of a reader that has something to read. */
export async function beginReading(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  leaving: AbortController,
): Promise<() => unknown> {
  expect((await reader.read()).value!.length).toBeGreaterThan(0);
  return () => {
    leaving.abort();
    void reader.cancel().catch(() => {});
  };
}
