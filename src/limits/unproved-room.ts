// Who has come in and has not proved anything yet: a bounded room in which a newcomer is always let in. When it is full, one
// goes for it: the oldest of the address that has the most in it. So a flood from one address pushes out itself, and
// whoever proves itself soon is not pushed out by any flood that is slower than the room is large. Takes constant time.

import { addressBlock } from './address-block.ts';

export class UnprovedRoom<Member> {
  private readonly maxMembers: number;
  private readonly blockOf = new Map<Member, string>();
  /** Of each block of addresses, oldest first. */
  private readonly membersOf = new Map<string, Set<Member>>();
  /** At `n`: blocks with `n` members, the one that has had so many for longest first. */
  private readonly blocksWith: Set<string>[] = [new Set()];

  constructor(maxMembers: number) {
    this.maxMembers = maxMembers;
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
  enter(member: Member, address: string | undefined): Member | undefined {
    const out = this.blockOf.size < this.maxMembers ? undefined : this.oldestOfLargest();
    if (out !== undefined) this.leave(out);
    const block = addressBlock(address ?? '');
    const members = this.membersOf.get(block) ?? new Set();
    this.blockOf.set(member, block);
    this.membersOf.set(block, members.add(member));
    this.move(block, members.size - 1, members.size);
    return out;
  }
  leave(member: Member): void {
    const block = this.blockOf.get(member);
    if (block === undefined) return;
    this.blockOf.delete(member);
    const members = this.membersOf.get(block)!;
    members.delete(member);
    if (members.size === 0) this.membersOf.delete(block);
    this.move(block, members.size + 1, members.size);
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
