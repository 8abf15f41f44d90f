import { randomUUID } from "node:crypto";
import { z } from "zod";
import { invalid, Problem, problemDocument } from "./problem.js";
import { userInputSchema } from "./schema.js";
import { showUser } from "./showUser.js";
import type { NewUser, User, UserStore } from "./user.js";
import type { Answer } from "./users.js";

const maximum = 1_000;
const batchSchema = z.compile(z.strictObject({ items: z.array(z.unknown()).min(1) }));

/** Creates many users at once; an item that is not valid or a duplicate fails for itself. */
export async function createUsers(store: Pick<UserStore, "insertMany">, body: unknown, requestId: string): Promise<Answer> {
  const batch = batchSchema.safeParse(body);
  if (!batch.success) throw invalid(400, "INVALID_BATCH", batch.error);
  const { items } = batch.data;
  if (items.length > maximum) throw new Problem(413, "BATCH_TOO_LARGE", `The batch has ${items.length} items; at most ${maximum} are allowed.`);
  const now = new Date();
  const judged = items.map((item) => userInputSchema.safeParse(item));
  const valid: NewUser[] = [];
  for (const { data } of judged) if (data !== undefined) valid.push({ ...data, createdAt: now, updatedAt: now, version: randomUUID() });
  const inserted = valid.length === 0 ? [] : await store.insertMany(valid);
  let next = 0;
  const results = judged.map(({ error }, index) => {
    if (error !== undefined) return failed(index, invalid(422, "VALIDATION_FAILED", error), requestId);
    const user = inserted[next++];
    return user === undefined
      ? failed(index, new Problem(422, "DUPLICATE_EMAIL", `The value of "email" is taken.`), requestId)
      : created(index, user);
  });
  const failures = results.filter(({ status }) => status >= 400).length;
  const summary = { total: results.length, succeeded: results.length - failures, failed: failures };
  return { status: failures === 0 ? 200 : 207, headers: { "cache-control": "no-store" }, value: { results, summary } };
}

function created(index: number, user: User) {
  return { index, status: 201, id: user.id, location: `/users/${user.id}`, etag: `"${user.version}"`, data: showUser(user) };
}

function failed(index: number, problem: Problem, requestId: string) {
  return { index, status: problem.status, error: problemDocument(problem, requestId) };
}
