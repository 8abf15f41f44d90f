import { z } from "zod";

/** Members of a club: twelve fields, one of them an object, one an array of objects. */
export const memberSchema = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  status: z.enum(["active", "inactive"]),
  age: z.int(),
  score: z.number(),
  verified: z.boolean(),
  joined: z.string(),
  bio: z.string(),
  tags: z.array(z.string()),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string(), country: z.string() }),
  payments: z.array(z.object({ id: z.int(), total: z.number(), currency: z.string() })),
});

export type Member = z.output<typeof memberSchema>;

/** A page of a list. */
export const rows: readonly Member[] = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  name: `Member ${index}`,
  email: `member.${index}@example.com`,
  status: index % 3 === 0 ? "inactive" : "active",
  age: 20 + index,
  score: index / 4,
  verified: index % 2 === 0,
  joined: "2025-01-01T00:00:00.000Z",
  bio: "Likes long walks. ".repeat(10),
  tags: ["club", `segment-${index % 7}`],
  address: { street: `Storgata ${index}`, city: "Oslo", zip: "0155", country: "Norway" },
  payments: [1, 2, 3].map((number) => ({ id: index * 10 + number, total: number * 9.5, currency: "NOK" })),
}));
