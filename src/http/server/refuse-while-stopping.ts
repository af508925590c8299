// An instance that is about to stop accepts nothing more: what it took now would wait in its folder until somebody starts
// on that again. It still answers questions.

import type { FastifyInstance } from 'fastify';
import { aboutToStop } from '../../base/app-error.ts';

const QUESTIONS = ['GET', 'HEAD', 'OPTIONS'];

/** Every route of `api` from here on. */
export function refuseWhileStopping(api: FastifyInstance, isStopping: () => boolean): void {
  api.addHook('onRequest', async ({ method }) => {
    if (isStopping() && !QUESTIONS.includes(method)) throw aboutToStop();
  });
}
