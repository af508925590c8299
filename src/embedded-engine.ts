// The speech engine that the gateway brings along: started on a loopback port with a random key, and then used
// over HTTP like any other speech service.

import { request } from 'undici';
import { systemClock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { systemRandom } from './base/random.ts';
import { startEngine } from './engine/engine-server.ts';
import type { ListedVoice } from './speech/listed-voice.ts';
import { isEspeakInstalled, SPEECH_PACKAGE } from './speech-program/speech-command.ts';

export type EmbeddedEngine = {
  readonly url: string;
  readonly key: { readonly userId: string; readonly apiKey: string; readonly perMinute: number | undefined };
  /** Ids of its first female and first male voice. */
  readonly femaleVoice: string | undefined;
  readonly maleVoice: string | undefined;
  readonly voices: readonly ListedVoice[];
  close(): Promise<void>;
};

const DEADLINE_MS = 10_000;
/** An engine alone may wait for its program; a gateway that could speak no word is better told before it starts. */
function requireSpeechPackage(): void {
  if (isEspeakInstalled()) return;
  throw new Error(
    'There is nothing to speak with: VOXGATE_UPSTREAM_URL is not set, and the embedded engine is not part of ' +
      'this installation. Set VOXGATE_UPSTREAM_URL and VOXGATE_UPSTREAM_KEYS to use a speech service, or bring ' +
      `the engine: the image "all", or "npm install --include=optional" for ${SPEECH_PACKAGE}.`,
  );
}

/** `perMinute` 0 is no request limit. Throws, saying what to do, when the speech program's package is missing. */
export async function startEmbeddedEngine(perMinute: number, log: Log): Promise<EmbeddedEngine> {
  requireSpeechPackage();
  const key = {
    userId: 'voxgate',
    apiKey: systemRandom.id(24),
    perMinute: perMinute === 0 ? undefined : perMinute,
  };
  const ports = { log, clock: systemClock, random: systemRandom };
  const engine = await startEngine({ host: '127.0.0.1', port: 0, keys: [key], ...ports });
  try {
    const voices = await listVoices(engine.url, key);
    // Under a limit of its own the engine's first request belongs to a caller.
    if (perMinute === 0) await warmUp(engine.url, key, voices[0]?.id);
    const firstOf = (gender: string) => voices.find((voice) => voice.gender === gender)?.id;
    return {
      url: engine.url,
      key,
      voices,
      femaleVoice: firstOf('Female'),
      maleVoice: firstOf('Male'),
      close: () => engine.close(),
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The first sentence of a program that has just started takes longer than any other; nobody should wait for it. */
async function warmUp(url: string, key: EmbeddedEngine['key'], voice: string | undefined): Promise<void> {
  try {
    const { body } = await request(`${url}/api/v1/tts/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key.apiKey}`,
        'x-user-id': key.userId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'VoxDialog', text: 'Hello there.', voice, seed: 0 }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await body.dump();
  } catch {
    // Whatever is wrong, the first caller is told in full.
  }
}

async function listVoices(url: string, key: EmbeddedEngine['key']): Promise<readonly ListedVoice[]> {
  const { body } = await request(`${url}/api/v1/voices`, {
    headers: { authorization: `Bearer ${key.apiKey}`, 'x-user-id': key.userId },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  return (await body.json()) as ListedVoice[];
}
