// Who a command is to the gateway that it speaks through: the key and the user of its flags, as headers.

export const callerHeaders = ({
  key,
  user,
}: {
  readonly key?: string | undefined;
  readonly user?: string | undefined;
}): Record<string, string> => ({
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(user === undefined ? {} : { 'x-user-id': user }),
});
