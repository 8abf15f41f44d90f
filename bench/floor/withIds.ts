import { foldEmail, type NewUser, type User } from "./user.js";

/**
 * Users with the ids that one statement gave them, `undefined` for those that it left out.
 *
 * @param ids by folded e-mail address; each is given away once, to the first user with the address
 */
export function withIds(users: readonly NewUser[], ids: Map<string, number>): (User | undefined)[] {
  return users.map((user) => {
    const email = foldEmail(user.email);
    const id = ids.get(email);
    ids.delete(email);
    return id === undefined ? undefined : { ...user, id };
  });
}
