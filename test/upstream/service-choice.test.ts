// Which services may say a turn, in order, and with which of their voices.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseServices,
  inPreference,
  readNamedVoice,
  type ServiceAsk,
  type ServiceProfile,
  type ServiceStanding,
} from '../../src/upstream/service-choice.ts';

const service = (name: string, own: Partial<ServiceProfile> = {}): ServiceProfile => ({
  name,
  tenants: undefined,
  fallbackVoice: undefined,
  fallbackVoice2: undefined,
  find: (as) => ({ as, has: 'perhaps' }),
  ...own,
});
/** Has exactly these, and knows it. */
const having = (...voices: string[]): Pick<ServiceProfile, 'find'> => ({
  find: (as) => (voices.includes(as) ? { as, has: 'surely' } : undefined),
});
const ASK: ServiceAsk = { tenant: 'ann', upstream: [], voice: undefined, voice2: undefined };
const chain = (services: readonly ServiceProfile[], ask: Partial<ServiceAsk>, table = {}) => {
  const choice = chooseServices(services, table, { ...ASK, ...ask });
  return choice.ok
    ? choice.chain.map(({ name, voice }) => (voice === undefined ? name : `${name}:${voice}`))
    : choice.field;
};

describe('a turn without a voice', () => {
  const [a, b] = [service('a'), service('b', { tenants: ['ben'] })];
  it('may be said by all that its tenant may use, in order', () => {
    expect(chain([a, b], {})).toEqual(['a']);
    expect(chain([a, b], { tenant: 'ben' })).toEqual(['a', 'b']);
    expect(chain([b], {})).toBe('upstream');
    expect(chain([a, b], { tenant: { is: 'anybody' } })).toEqual(['a', 'b']);
  });
  it('is narrowed and ordered by its caller', () => {
    const all = [a, service('b'), service('c')];
    expect(chain(all, { upstream: ['c', 'a'] })).toEqual(['c', 'a']);
    expect(chain(all, { upstream: ['c', 'c', 'x'] })).toEqual(['c']);
    expect(chain([a, b], { upstream: ['b'] })).toBe('upstream');
  });
});

describe('a voice', () => {
  const eleven = service('eleven', having('rachel'));
  const home = service('home');
  const engine = service('engine', { ...having('anna') });

  it('goes to the services that surely have it, else to those that may', () => {
    expect(chain([home, eleven, engine], { voice: 'rachel' })).toEqual(['eleven:rachel']);
    expect(chain([home, eleven, engine], { voice: 'af_heart' })).toEqual(['home:af_heart']);
    expect(chain([eleven, engine], { voice: 'nobody' })).toBe('voice');
  });
  it('is another one at a service with a fallback voice, in the order of preference', () => {
    const first = service('first', { ...having('x'), fallbackVoice: 'spare' });
    expect(chain([first, engine], { voice: 'anna' })).toEqual(['first:spare', 'engine:anna']);
  });
  it('is looked up in the short names of a service, also as a fallback', () => {
    const find = (voice: string) =>
      voice === 'anna' ? ({ as: 'vox:anna', has: 'surely' } as const) : undefined;
    const own = service('own', { find, fallbackVoice: 'anna' });
    expect(chain([own], { voice: 'other' })).toEqual(['own:vox:anna']);
    expect(chain([own], { voice: 'x' }, { x: { own: 'anna' } })).toEqual(['own:vox:anna']);
  });
  it('is what the table says for each service; one that is not there is not asked', () => {
    const table = { anna: { eleven: 'rachel', home: 'af_heart' } };
    expect(chain([home, eleven, engine], { voice: 'anna' }, table)).toEqual([
      'home:af_heart',
      'eleven:rachel',
    ]);
    const spare = service('spare', { fallbackVoice: 'any' });
    expect(chain([spare, eleven], { voice: 'anna' }, table)).toEqual(['spare:any', 'eleven:rachel']);
  });
  it('with the name of a service speaks there and nowhere else', () => {
    expect(chain([home, eleven], { voice: 'eleven/rachel' })).toEqual(['eleven:rachel']);
    expect(chain([home, eleven], { voice: 'home/x/y' })).toEqual(['home:x/y']);
    expect(chain([home], { voice: 'other/x' })).toEqual(['home:other/x']);
    expect(chain([home, eleven], { voice: 'eleven/rachel', upstream: ['home'] })).toBe('voice');
  });
  it('and a second one are of one service', () => {
    expect(chain([home, eleven, engine], { voice: 'anna', voice2: 'rachel' })).toBe('voice2');
    const both = service('both', having('anna', 'rachel'));
    expect(chain([engine, both], { voice: 'anna', voice2: 'rachel' })).toEqual(['both:anna']);
  });
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const tenant = fc.constantFrom('ann', 'ben', 'eve');
const voice = fc.oneof(fc.constantFrom('v1', 'v2', 'a/v1', 'b/v2', 'x/v1', '__proto__'), fc.string());
const profiles = fc
  .uniqueArray(name, { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      ...names.map((each) =>
        fc.record({
          name: fc.constant(each),
          tenants: fc.option(fc.array(tenant), { nil: undefined }),
          fallbackVoice: fc.option(fc.constant('spare'), { nil: undefined }),
          known: fc.constantFrom('all', 'v1', 'none'),
        }),
      ),
    ),
  )
  .map((all) =>
    all.map(({ name: each, tenants, fallbackVoice, known }) =>
      service(each, {
        tenants,
        fallbackVoice,
        ...(known === 'all' ? {} : having(...(known === 'v1' ? ['v1'] : []))),
      }),
    ),
  );

it('never names a service that the tenant may not use, that the caller has excluded, or twice the same', () => {
  fc.assert(
    fc.property(
      profiles,
      tenant,
      fc.array(name, { maxLength: 3 }),
      fc.option(voice, { nil: undefined }),
      fc.option(voice, { nil: undefined }),
      (services, who, upstream, voice1, voice2) => {
        const choice = chooseServices(
          services,
          { v2: { b: 'own' } },
          { tenant: who, upstream, voice: voice1, voice2 },
        );
        if (!choice.ok) return;
        const names = choice.chain.map((link) => link.name);
        expect(new Set(names).size).toBe(names.length);
        for (const link of choice.chain) {
          const { tenants } = services.find((each) => each.name === link.name)!;
          expect(tenants === undefined || tenants.includes(who)).toBe(true);
          expect(upstream.length === 0 || upstream.some((asked) => asked === link.name)).toBe(true);
          expect(link.voice === undefined).toBe(voice1 === undefined);
          const { only } = readNamedVoice(
            services.map((each) => each.name),
            voice1 ?? '',
          );
          expect(only === undefined || only === link.name).toBe(true);
        }
      },
    ),
  );
});

describe('the order in which services are asked', () => {
  const WELL: ServiceStanding = { health: 'in-order', isFull: false, usualMs: 300 };
  const orderOf = (
    prefer: 'order' | 'voice' | 'soonest',
    rows: Readonly<Record<string, Partial<ServiceStanding> & { readonly isFallback?: true }>>,
  ) =>
    inPreference(
      Object.entries(rows).map(([name, { isFallback }]) => ({ name, ...(isFallback && { isFallback }) })),
      prefer,
      ({ name }) => ({ ...WELL, ...rows[name] }),
    ).map(({ name }) => name);

  it('is that of the list, those that are away behind all others', () => {
    expect(orderOf('order', { a: { isFull: true, usualMs: 900 }, b: {}, c: { isFallback: true } })).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(orderOf('order', { a: { health: 'last' }, b: {}, c: {} })).toEqual(['b', 'c', 'a']);
    expect(orderOf('order', { a: { health: 'try' }, b: { health: 'try' }, c: {} })).toEqual(['a', 'c', 'b']);
  });
  it('has the voice that was asked for before a fallback, then room', () => {
    const rows = { a: { isFallback: true }, b: { isFull: true }, c: {} } as const;
    expect(orderOf('voice', rows)).toEqual(['c', 'b', 'a']);
    expect(orderOf('voice', { ...rows, c: { health: 'last' } })).toEqual(['b', 'a', 'c']);
  });
  it('has room first, then who speaks soonest; who was never heard is in the middle', () => {
    const rows = {
      a: { usualMs: 900 },
      b: { usualMs: undefined },
      c: { usualMs: 100, isFull: true },
      d: { usualMs: 200 },
    };
    expect(orderOf('soonest', rows)).toEqual(['d', 'b', 'a', 'c']);
  });
});
