// A call of Twilio's beside a bot's session: a simulated carrier with a playout clock of its own, real sockets, real time.
// What every carrier's calls have in common, whole turns and cut ones, is in legs.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(() => gateway.close());

const call = (token?: string) =>
  dial(`ws://127.0.0.1:${gateway.port}/v1/legs/twilio`, createTwilioSide(), {
    callId: 'CA1',
    ...(token !== undefined && { token }),
  });
const attached = async () => {
  const session = await gateway.session();
  const carrier = await call();
  session.send({ type: 'attach', leg: { callSid: 'CA1' } });
  await session.event('attached');
  return { session, carrier };
};

describe('a leg of Twilio', () => {
  it('may come before or after the session asks for it, by the token that the session gave away', async () => {
    const session = await gateway.session();
    const { attachToken } = await session.event('ready');
    session.send({ type: 'attach', leg: { token: attachToken } });
    const carrier = await call(attachToken);
    expect(await session.event('attached')).toMatchObject({
      kind: 'twilio',
      callSid: 'CA1',
      format: 'mulaw',
    });
    carrier.digit('7');
    expect(await session.event('dtmf')).toMatchObject({ digit: '7' });
    session.send({ type: 'hangup' });
    expect(await carrier.closed).toBe(1000);
    expect(await session.event('detached')).toMatchObject({ reason: 'hung up' });
  });

  it('ends the turn that plays as truncated when the call is over', async () => {
    const { session, carrier } = await attached();
    session.send({ type: 'speak', turn: 'a', text: 'Hello there, this is the office.' });
    await session.event('started');
    carrier.hangUp();
    expect(await session.event('detached')).toMatchObject({ reason: 'the call is over' });
    expect(await session.event('ended')).toMatchObject({ turn: 'a', outcome: 'truncated' });
    expect(await session.event('error')).toMatchObject({ code: 'leg_gone', turn: 'a' });
  });
});
