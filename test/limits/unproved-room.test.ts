import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { addressBlock, UnprovedRoom } from '../../src/limits/unproved-room.ts';

/** Nobody is new. */
const roomOf = <Member>(maxMembers: number) =>
  new UnprovedRoom<Member>({ maxMembers, maxNewMembers: maxMembers, newForMs: 0 });

describe('the room of those who have proved nothing', () => {
  it('lets everybody in while there is room', () => {
    const room = roomOf<number>(3);
    expect([1, 2, 3].map((n) => room.enter(n, '192.0.2.1', 0))).toEqual([undefined, undefined, undefined]);
    room.leave(2);
    room.leave(2);
    expect(room.enter(4, '192.0.2.1', 0)).toBeUndefined();
    expect([...room.members()]).toEqual([1, 3, 4]);
  });

  it('has the oldest of the address go that has the most', () => {
    const room = roomOf<string>(4);
    room.enter('a', '192.0.2.1', 0);
    room.enter('flood 1', '192.0.2.2', 0);
    room.enter('flood 2', '192.0.2.2', 0);
    room.enter('b', '192.0.2.3', 0);
    expect(room.enter('flood 3', '192.0.2.2', 0)).toBe('flood 1');
    expect(room.enter('flood 4', '192.0.2.2', 0)).toBe('flood 2');
    expect(room.enter('c', '192.0.2.4', 0)).toBe('flood 3');
    expect([...room.members()].toSorted()).toEqual(['a', 'b', 'c', 'flood 4']);
  });

  it('keeps who is new beyond its size, up to a larger bound, even of one address', () => {
    const room = new UnprovedRoom<string>({ maxMembers: 2, maxNewMembers: 4, newForMs: 1000 });
    room.enter('a', '192.0.2.1', 0);
    room.enter('b', '192.0.2.1', 500);
    expect(room.enter('c', '192.0.2.1', 900)).toBeUndefined();
    expect(room.enter('d', '192.0.2.1', 1000)).toBe('a');
    expect(room.enter('e', '192.0.2.1', 1200)).toBeUndefined();
    expect(room.enter('f', '192.0.2.1', 1300)).toBe('b');
    expect(room.enter('g', '192.0.2.1', 5000)).toBe('c');
    expect([...room.members()]).toEqual(['d', 'e', 'f', 'g']);
  });

  it('never has one go that is not of the largest, whatever comes and goes', () => {
    const random = seededNumbers(1, 2);
    const room = roomOf<number>(20);
    const addressOf = new Map<number, string>();
    for (let n = 0; n < 1000; n += 1) {
      const sizeOf = (address: string) =>
        [...room.members()].filter((member) => addressOf.get(member) === address).length;
      if (random() < 0.4) {
        const members = [...room.members()];
        room.leave(members[Math.floor(random() * members.length)] ?? -1);
        continue;
      }
      const largest = Math.max(0, ...[...room.members()].map((member) => sizeOf(addressOf.get(member)!)));
      const sizes = new Map([...addressOf.values()].map((address) => [address, sizeOf(address)]));
      const address = `192.0.2.${Math.floor(random() * random() * 10)}`;
      addressOf.set(n, address);
      const before = room.size();
      const out = room.enter(n, address, 0);
      expect(room.has(n)).toBe(true);
      if (out === undefined) expect(room.size()).toBe(before + 1);
      else {
        expect(room.size()).toBe(20);
        expect(sizes.get(addressOf.get(out)!)).toBe(largest);
      }
    }
  });
});

describe('what counts as one address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['', ''],
  ])('%s is of %s', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});
