// What counts as one address: an IPv4 address, however it is written, and of IPv6 the /64 that one subscriber has.

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const SUBNET_GROUPS = 4;
const GROUPS = 8;

/** `address` as the system writes that of a socket. */
export function addressBlock(address: string): string {
  const [, mapped] = MAPPED_IPV4.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('%', 1)[0]!.split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, SUBNET_GROUPS).join(':').toLowerCase();
}
