// Who has come in and has not proved anything yet: a bounded room in which a newcomer is always let in. When it is full, one
// goes for it: the oldest of the address that has the most in it. So a flood from one address pushes out itself. Whoever is
// new stays for a while although the room is full, up to a larger bound: so whoever proves itself soon is pushed out by
// no flood that is slower than the larger bound in that while, even from its own address. Takes constant time.

import { addressBlock } from './address-block.ts';

export type UnprovedRoomBounds = {
  /** Beyond it those go that are no longer new. */
  readonly maxMembers: number;
  /** Beyond it those go that are new. */
  readonly maxNewMembers: number;
  readonly newForMs: number;
};

export class UnprovedRoom<Member> {
  private readonly bounds: UnprovedRoomBounds;
  private readonly cameAtMs = new Map<Member, number>();
  private readonly blockOf = new Map<Member, string>();
  /** Of each block of addresses, oldest first. */
  private readonly membersOf = new Map<string, Set<Member>>();
  /** At `n`: blocks with `n` members, the one that has had so many for longest first. */
  private readonly blocksWith: Set<string>[] = [new Set()];

  constructor(bounds: UnprovedRoomBounds) {
    this.bounds = bounds;
  }

  size(): number {
    return this.blockOf.size;
  }
  has(member: Member): boolean {
    return this.blockOf.has(member);
  }
  members(): Iterable<Member> {
    return this.blockOf.keys();
  }

  /** Answers with the one that has to go for `member`. */
  enter(member: Member, address: string | undefined, nowMs: number): Member | undefined {
    const out = this.whoHasToGo(nowMs);
    if (out !== undefined) this.leave(out);
    const block = addressBlock(address ?? '');
    const members = this.membersOf.get(block) ?? new Set();
    this.blockOf.set(member, block);
    this.cameAtMs.set(member, nowMs);
    this.membersOf.set(block, members.add(member));
    this.move(block, members.size - 1, members.size);
    return out;
  }
  leave(member: Member): void {
    const block = this.blockOf.get(member);
    if (block === undefined) return;
    this.blockOf.delete(member);
    this.cameAtMs.delete(member);
    const members = this.membersOf.get(block)!;
    members.delete(member);
    if (members.size === 0) this.membersOf.delete(block);
    this.move(block, members.size + 1, members.size);
  }

  private whoHasToGo(nowMs: number): Member | undefined {
    const { maxMembers, maxNewMembers, newForMs } = this.bounds;
    const size = this.size();
    if (size < maxMembers) return undefined;
    const out = this.oldestOfLargest();
    const isNew = out !== undefined && nowMs - this.cameAtMs.get(out)! < newForMs;
    return isNew && size < maxNewMembers ? undefined : out;
  }
  private oldestOfLargest(): Member | undefined {
    const block = this.blocksWith.at(-1)!.values().next().value;
    return block === undefined ? undefined : this.membersOf.get(block)?.values().next().value;
  }
  /** Counts change by one, so below the largest there is always one that is not empty. */
  private move(block: string, from: number, to: number): void {
    this.blocksWith[from]!.delete(block);
    if (to > 0) {
      this.blocksWith[to] ??= new Set();
      this.blocksWith[to].add(block);
    }
    while (this.blocksWith.length > 1 && this.blocksWith.at(-1)!.size === 0) this.blocksWith.pop();
  }
}
