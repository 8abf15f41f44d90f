import { z } from "zod";

const userInput = z.strictObject({
  status: z.enum(["active", "inactive"]).default("active"),
  name: z.string().min(1).max(200),
  email: z.email().max(254),
  preferences: z
    .strictObject({ newsletter: z.boolean().default(false), locale: z.string().min(2).max(35).default("en") })
    .default({ newsletter: false, locale: "en" }),
  tags: z.array(z.string().min(1).max(50)).max(50).default([]),
  address: z.strictObject({ city: z.string().max(100), country: z.string().max(100) }).optional(),
  bio: z.string().max(10_000).optional(),
  passwordHash: z.string().max(200).optional(),
});

/** What `fields` may name, in the order of the table. */
export const listedFields = ["id", "status", "createdAt", "updatedAt", "name", "email", "preferences", "tags", "address", "bio"] as const;

export type ListedField = (typeof listedFields)[number];

/** `(page − 1) × perPage` stays below this. */
export const offsetLimit = 10_000;

const userQuery = z
  .strictObject({
    status: z.enum(["active", "inactive"]).optional(),
    name: z.string().max(200).optional(),
    sort: z.enum(["id", "-id", "createdAt", "-createdAt"]).default("id"),
    fields: z
      .string()
      .max(200)
      .transform((text) => text.split(","))
      .pipe(z.array(z.enum(listedFields)))
      .default(["id", "name", "email", "createdAt"]),
    page: z.coerce.number().int().min(1).optional(),
    perPage: z.coerce.number().int().min(1).max(100).default(20),
    cursor: z.string().max(500).optional(),
  })
  .refine(({ page, cursor }) => page === undefined || cursor === undefined, "page and cursor cannot be combined.")
  .refine(({ page = 1, perPage }) => (page - 1) * perPage < offsetLimit, "The page lies too deep; use a cursor.");

/** What a client may write of a user. */
export type UserInput = z.output<typeof userInput>;

/** A list request. */
export type UserQuery = z.output<typeof userQuery>;

/** The body of a POST, and the result of a merge patch. */
export const userInputSchema = z.compile(userInput);

/** The query parameters that a list takes. */
export const userQuerySchema = z.compile(userQuery);
