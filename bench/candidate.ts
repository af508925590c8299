// A gateway beside others in one bench: Voxgate, or a small server of our own around one of the ways that people use otherwise.

import { startActor } from './lab/actor.ts';
import { openGateway, UPSTREAM_FLAGS } from './lab/lab.ts';
import type { PeerCost, PeerReady } from './lab/peer-process.ts';
import type { PeerName } from './lab/peer-ways.ts';
import type { ProcessCost } from './lab/process-cost.ts';

export const VOXGATE = 'Voxgate';
export type CandidateName = typeof VOXGATE | PeerName;

/** What only the others tell: of the programs that they have started, and utterances that failed. */
export type CandidateCost = ProcessCost & { readonly childrenMs?: number; readonly failed?: number };
export type Candidate = {
  readonly sessionUrl: string;
  readonly usage: () => Promise<CandidateCost>;
  readonly close: () => Promise<void>;
};

/** In a process of its own, before the speech service at `upstreamUrl`. */
export async function openCandidate(
  name: CandidateName,
  upstreamUrl: string,
  seed: number,
): Promise<Candidate> {
  if (name === VOXGATE) return openGateway({ seed }, [...UPSTREAM_FLAGS, '--upstream-url', upstreamUrl]);
  const plan = { way: name, upstreamUrl };
  const { ready, report, close } = await startActor<PeerReady, PeerCost>('peer-process', plan);
  return { sessionUrl: ready.sessionUrl, usage: report, close };
}

/** Processor time of it and of every program that it has started, ms. */
export const spentMs = ({ cpuMs, childrenMs = 0 }: CandidateCost): number => cpuMs + childrenMs;
