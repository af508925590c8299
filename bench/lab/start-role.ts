// The part of a bench that this process is: what each role starts.

import type { Actor } from './actor.ts';
import { startBareSession } from './bare-session.ts';
import type { BenchRole } from './bench-role.ts';
import { type CrowdPlan, startCrowdProcess } from './crowd-process.ts';
import { type FakeUpstreamPlan, startFakeUpstream } from './fake-upstream.ts';
import { type GatewayPlan, startGatewayProcess } from './gateway-process.ts';
import { type HostilePlan, startHostileProcess } from './hostile-process.ts';
import { type IdleSessionsPlan, startIdleSessions } from './idle-sessions-process.ts';
import { type PeerPlan, startPeerProcess } from './peer-process.ts';
import { type PhonePlan, startPhoneProcess } from './phone-process.ts';

type StartRole = (plan: unknown, searchPath: string | undefined) => Promise<Actor>;
const ROLES: Readonly<Record<BenchRole, StartRole>> = {
  'gateway-process': (plan, searchPath) => startGatewayProcess(plan as GatewayPlan, searchPath),
  'upstream-process': (plan) => startFakeUpstream(plan as FakeUpstreamPlan),
  'crowd-process': (plan) => startCrowdProcess(plan as CrowdPlan),
  'hostile-process': (plan) => startHostileProcess(plan as HostilePlan),
  'phone-process': (plan) => startPhoneProcess(plan as PhonePlan),
  'peer-process': (plan) => startPeerProcess(plan as PeerPlan),
  'bare-session': startBareSession,
  'idle-sessions-process': (plan) => startIdleSessions(plan as IdleSessionsPlan),
};

/** `searchPath`: where programs are looked for. */
export const startRole = (role: BenchRole, plan: unknown, searchPath: string | undefined): Promise<Actor> =>
  ROLES[role](plan, searchPath);
