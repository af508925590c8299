// Onlookers of a session in a process of their own, as they are in life: what they read must not hold up the clients whose
// frames are being timed.

import type { Actor } from './actor.ts';

export type CrowdPlan = {
  /** `http://…/v1/sessions/{id}`. */
  readonly sessionUrl: string;
  readonly onlookers: number;
};

/** Taken so far, and how many were closed. */
export type CrowdReport = { readonly bytes: number; readonly lost: number };

/** What they take, in turn. */
const WANTED = [
  'events',
  'captions.vtt',
  'audio?format=mulaw',
  'audio?format=mp3',
  'audio?format=wav',
  'audio?format=ogg',
  'events',
  'audio?format=mulaw',
] as const;

export async function startCrowdProcess({ sessionUrl, onlookers }: CrowdPlan): Promise<Actor> {
  const leaving = new AbortController();
  let [bytes, lost] = [0, 0];
  const take = async (body: ReadableStream<Uint8Array>) => {
    for await (const piece of body) bytes += piece.length;
  };
  for (let index = 0; index < onlookers; index++) {
    const path = WANTED[index % WANTED.length]!;
    const response = await fetch(`${sessionUrl}/${path}`, { signal: leaving.signal });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    const isLost = () => {
      if (!leaving.signal.aborted) lost += 1;
    };
    take(response.body!).then(isLost, isLost);
  }
  return {
    ready: {},
    report: (): CrowdReport => ({ bytes, lost }),
    close: async () => leaving.abort(),
  };
}
