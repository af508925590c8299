// Short names for voices through a whole gateway: the setting, an agent's own names over it, and pairs in plain text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentRecord } from '../../src/speech/service-records.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

const HEADERS = { authorization: 'Bearer any', 'x-user-id': 'local', 'content-type': 'application/json' };

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    env: {
      VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
      VOXGATE_VOICE_ALIASES: 'anna=vox:anna,ben=vox:ben,duo=anna+ben,house=ben',
      VOXGATE_VOICE: 'house',
    },
  });
});
afterAll(() => gateway.close());

async function askedFor(query: string, fields: object): Promise<Record<string, unknown>> {
  const probe = await gateway.session(`pace=burst&${query}`);
  probe.send({ type: 'speak', turn: 'a', text: 'Good morning.', ...fields });
  await probe.ended('a');
  probe.terminate();
  const body = gateway.upstream.requests.at(-1)!.body as { readonly text: string };
  return { ...body, text: body.text.replace(/ *(\n) *|( ) +/g, '$1$2') };
}

describe('names for voices', () => {
  it('may stand in the query, in configure and in a turn, and for the voice of turns that name none', async () => {
    expect(await askedFor('voice=anna', {})).toMatchObject({ voice: 'vox:anna' });
    expect(await askedFor('voice=anna', { voice: 'ben' })).toMatchObject({ voice: 'vox:ben' });
    expect(await askedFor('', {})).toMatchObject({ voice: 'vox:ben' });
    expect(await askedFor('', { voice: 'alloy' })).toMatchObject({ voice: 'alloy' });
    const probe = await gateway.session();
    probe.send({ type: 'configure', voice: 'duo' });
    expect((await probe.event('configured')).synthesis).toEqual({
      voice: 'vox:anna',
      voice2: 'vox:ben',
      turnPrefix: '[S1]',
      turnPrefix2: '[S2]',
    });
    probe.terminate();
  });

  it('that are pairs let plain text speak with two voices', async () => {
    const text = '[S1] Are you ready? [S2] Almost.';
    const both = { voice: 'vox:anna', voice2: 'vox:ben', turnPrefix: '[S1]', turnPrefix2: '[S2]' };
    const said = '[S1] Are you ready?\n[S2] Almost.';
    expect(await askedFor('voice=duo', { text })).toMatchObject({ ...both, text: said });
    expect(await askedFor('', { voice: 'duo:anna+vox:ben', text })).toMatchObject({ ...both, text: said });
  });

  it('keep the prefixes that a caller has set, for the session or the turn', async () => {
    const wanted = { voice: 'vox:anna', voice2: 'vox:ben', turnPrefix: 'A:', turnPrefix2: 'B:' };
    const text = 'A: Ready? B: Yes.';
    const prefixes = { turnPrefix: 'A:', turnPrefix2: 'B:' };
    expect(await askedFor('turnPrefix=A:&turnPrefix2=B:', { voice: 'duo', text })).toMatchObject(wanted);
    expect(await askedFor('voice=duo', { ...prefixes, text })).toMatchObject(wanted);
  });

  it('of an agent go before those of the gateway, which it may use', async () => {
    const reply = await fetch(`${gateway.url}/api/v1/agents`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ name: 'Desk', voice: 'house', aliases: { anna: 'vox:other', we: 'anna+ben' } }),
    });
    const { id } = (await reply.json()) as AgentRecord;
    expect(await askedFor(`agent=${id}`, {})).toMatchObject({ voice: 'vox:ben' });
    expect(await askedFor(`agent=${id}&voice=anna`, {})).toMatchObject({ voice: 'vox:other' });
    expect(await askedFor(`agent=${id}&voice=we`, {})).toMatchObject({
      voice: 'vox:other',
      voice2: 'vox:ben',
    });
  });
});
