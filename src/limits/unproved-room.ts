// Members that have connected and not proved who they are yet: a bounded room that always admits a newcomer. When it is full, one
// member is removed: the oldest of the address that has the most members. So a flood from one address removes only its own. A new
// member stays for a while even if the room is full, up to a larger bound: so one that proves itself soon is removed only by a
// flood that fills the larger bound in that while, even from its own address. Constant time.

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const SUBNET_GROUPS = 4;
const GROUPS = 8;

/**
 * What counts as one address: an IPv4 address, however it is written, and of IPv6 the /64 that one subscriber has.
 * `address` as the system writes that of a socket.
 */
export function addressBlock(address: string): string {
  const [, mapped] = MAPPED_IPV4.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('%', 1)[0]!.split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, SUBNET_GROUPS).join(':').toLowerCase();
}

export type UnprovedRoomBounds = {
  /** Beyond it, members that are no longer new are removed. */
  readonly maxMembers: number;
  /** Beyond it, new members are removed, too. */
  readonly maxNewMembers: number;
  readonly newForMs: number;
};

export class UnprovedRoom<Member> {
  private readonly bounds: UnprovedRoomBounds;
  private readonly cameAtMs = new Map<Member, number>();
  private readonly blockOf = new Map<Member, string>();
  /** Of each block of addresses, oldest first. */
  private readonly membersOf = new Map<string, Set<Member>>();
  /** At `n`: blocks with `n` members, the one that has had that number for longest first. */
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

  /** Returns the member that is removed for `member`. */
  enter(member: Member, address: string | undefined, nowMs: number): Member | undefined {
    const out = this.memberToRemove(nowMs);
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

  private memberToRemove(nowMs: number): Member | undefined {
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
