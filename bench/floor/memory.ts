import { foldEmail, type NewUser, type Update, type User, type UserList, type UserPage, type UserStore } from "./user.js";

/** Users in maps: by id, by e-mail address, by status. */
export class MemoryUsers implements UserStore {
  readonly #users = new Map<number, User>();
  readonly #emails = new Map<string, number>();
  readonly #byStatus = { active: new Map<number, User>(), inactive: new Map<number, User>() };
  #lastId = 0;

  get(id: number): User | undefined {
    return this.#users.get(id);
  }

  list({ status, name, sort, limit, start }: UserList): UserPage {
    const found: User[] = [];
    for (const user of (status === undefined ? this.#users : this.#byStatus[status]).values()) {
      if (name === undefined || user.name === name) found.push(user);
    }
    const order = comparisons[sort];
    if (typeof start === "number") return { users: found.sort(order).slice(start, start + limit), total: found.length };
    const away = start.direction === "after" ? order : (left: Key, right: Key) => order(right, left);
    const users = found.filter((user) => away(user, start) > 0).sort(away);
    return { users: users.slice(0, limit), total: found.length };
  }

  insert(user: NewUser): User | undefined {
    const email = foldEmail(user.email);
    if (this.#emails.has(email)) return undefined;
    this.#lastId += 1;
    const inserted: User = { ...user, id: this.#lastId };
    this.#put(inserted);
    this.#emails.set(email, inserted.id);
    return inserted;
  }

  insertMany(users: readonly NewUser[]): (User | undefined)[] {
    return users.map((user) => this.insert(user));
  }

  update(user: User, ifVersion: string): Update {
    const before = this.#users.get(user.id);
    if (before?.version !== ifVersion) return "stale";
    const [old, email] = [foldEmail(before.email), foldEmail(user.email)];
    if (email !== old && this.#emails.has(email)) return "taken";
    this.#emails.delete(old);
    this.#emails.set(email, user.id);
    if (before.status !== user.status) this.#byStatus[before.status].delete(user.id);
    this.#put(user);
    return "written";
  }

  seed(users: readonly NewUser[]): void {
    this.insertMany(users);
  }

  close(): void {
    this.#users.clear();
  }

  #put(user: User): void {
    this.#users.set(user.id, user);
    this.#byStatus[user.status].set(user.id, user);
  }
}

type Key = Pick<User, "id" | "createdAt">;

const comparisons: Record<UserList["sort"], (left: Key, right: Key) => number> = {
  id: (left, right) => left.id - right.id,
  "-id": (left, right) => right.id - left.id,
  createdAt: (left, right) => left.createdAt.getTime() - right.createdAt.getTime() || left.id - right.id,
  "-createdAt": (left, right) => right.createdAt.getTime() - left.createdAt.getTime() || right.id - left.id,
};
