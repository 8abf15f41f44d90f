import type { Member } from "./rows.js";

/** A choice of fields as a client writes it, and a function written for that choice and no other. */
export interface ByHand {
  readonly fields: string;
  pick(row: Member): object;
}

export const fiveNames: ByHand = {
  fields: "id,name,email,status,joined",
  pick: ({ id, name, email, status, joined }) => ({ id, name, email, status, joined }),
};

export const nestedName: ByHand = {
  fields: "id,name,address{city}",
  pick: ({ id, name, address }) => ({ id, name, address: { city: address.city } }),
};

export const allButOne: ByHand = {
  fields: "*,-bio",
  pick({ id, name, email, status, age, score, verified, joined, tags, address, payments }) {
    return { id, name, email, status, age, score, verified, joined, tags, address, payments };
  },
};

const known: ReadonlySet<string> = new Set<keyof Member>([
  "id",
  "name",
  "email",
  "status",
  "age",
  "score",
  "verified",
  "joined",
  "bio",
  "tags",
  "address",
  "payments",
]);

/** What people write where the client chooses among plain names. @throws {Error} for an unknown name */
export function pickByNames(fields: string, rows: readonly Member[]): object[] {
  const names = fields.split(",");
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`There is no field "${unknown}".`);
  return rows.map((row) => {
    const picked: Record<string, unknown> = {};
    for (const name of names) picked[name] = row[name as keyof Member];
    return picked;
  });
}
