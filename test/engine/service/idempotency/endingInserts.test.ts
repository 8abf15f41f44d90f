// @slow

import { createService, defineResource, type Service } from "restwright";
import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { SqlExecutor } from "../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { clientOf } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const payments = defineResource("payments", {
  schema: z.object({ id: z.string(), amount: z.int().min(1), code: z.string().nullable().default(null) }),
  unique: ["code"],
});
const numbered = defineResource("numbered", { schema: z.object({ id: z.int(), amount: z.int() }), generated: { id: "increment" } });

describe("a keyed POST on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  beforeAll(async () => {
    connectionString = await schema.create();
  });
  afterAll(() => schema.drop());

  let service: Service;
  let send: ReturnType<typeof clientOf>;
  let executor: SqlExecutor & { close?(): Promise<void> };
  /** What was asked since the last look, without transactions and without the background. */
  const sent: string[] = [];
  beforeEach(async () => {
    executor = postgresExecutor({ connectionString });
    const query: SqlExecutor["query"] = (statement, bounds) => {
      sent.push(statement.text);
      return executor.query(statement, bounds);
    };
    const transaction: SqlExecutor["transaction"] = (run, options) => {
      sent.push("begin");
      return executor.transaction(run, options);
    };
    const recording = { dialect: executor.dialect, query, transaction };
    service = createService({ resources: [payments, numbered], storage: sqlStorage(recording) });
    await service.ready();
    onTestFinished(async () => {
      await service.close();
      await executor.close?.();
    });
    send = clientOf(service);
  });

  const post = async (target: string, key: string, body: object) => {
    sent.length = 0;
    const answer = await send({ method: "POST", target, headers: { "idempotency-key": key }, body });
    return { ...answer, json: answer.json, sent: sent.filter((text) => /payments|numbered|idempotency|nextval|^begin/.test(text)) };
  };
  const name = () => `p${Math.random()}`;

  test("is two statements: one begins the operation, one writes the row and ends it", async () => {
    const [id, key] = [name(), name()];
    // What the caller has stored is summed at its first request.
    await post("/payments", name(), { id: name(), amount: 5 });
    const first = await post("/payments", key, { id, amount: 5 });
    expect(first.status).toBe(201);
    expect(first.sent).toHaveLength(2);
    expect(first.sent).not.toContain("begin");
    const again = await post("/payments", key, { id, amount: 5 });
    expect([again.status, again.text, again.headers["etag"]]).toEqual([201, first.text, first.headers["etag"]]);
    expect((await send({ target: `/payments/${id}` })).json).toEqual(first.json);
  });

  test("whose row is refused is answered with the refusal, also again, and has written nothing", async () => {
    const [id, other, key] = [name(), name(), name()];
    expect((await post("/payments", name(), { id, amount: 5, code: id })).status).toBe(201);
    const refused = await post("/payments", key, { id: other, amount: 6, code: id });
    expect([refused.status, refused.json.code]).toEqual([422, "DUPLICATE_CODE"]);
    expect((await send({ method: "DELETE", target: `/payments/${id}` })).status).toBe(204);
    expect((await post("/payments", key, { id: other, amount: 6, code: id })).text).toBe(refused.text);
    expect((await send({ target: `/payments/${other}` })).status).toBe(404);
  });

  test("whose id the database gives is written in the same way, after its number is taken", async () => {
    const key = name();
    await post("/numbered", name(), { amount: 5 });
    const first = await post("/numbered", key, { amount: 5 });
    expect([first.status, first.sent.length, first.sent.includes("begin")]).toEqual([201, 3, false]);
    expect((await send({ target: `/numbered/${first.json.id}` })).json).toEqual(first.json);
    expect((await post("/numbered", key, { amount: 5 })).text).toBe(first.text);
  });

  test("gets a free number where another program has taken the next ones, as a restored dump does", async () => {
    for (let turn = 0; turn < 3; turn++) await post("/numbered", name(), { amount: turn });
    const back = { text: `select setval(pg_get_serial_sequence('"numbered"', 'id'), 1, false)`, values: [], writes: true, returns: "one" } as const;
    await executor.query(back);
    const key = name();
    const made = await post("/numbered", key, { amount: 7 });
    expect([made.status, made.json.amount, made.json.id > 3]).toEqual([201, 7, true]);
    expect((await post("/numbered", key, { amount: 7 })).text).toBe(made.text);
  });

  test("that is sent many times at once writes one row", async () => {
    const [id, key] = [name(), name()];
    const answers = await Promise.all(Array.from({ length: 16 }, () => post("/payments", key, { id, amount: 5 })));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    // The others were told that the first one is under way.
    expect(answers.filter((answer) => !made.includes(answer)).every(({ json }) => json.code === "IDEMPOTENCY_KEY_IN_FLIGHT")).toBe(true);
    expect((await send({ target: `/payments?id=${id}` })).json.data).toHaveLength(1);
  });

  test("in a service that is killed after the statement is done, and its answer is there", async () => {
    const [id, key] = [name(), name()];
    // The connection breaks when the server has committed: the caller hears nothing of it.
    const query = executor.query.bind(executor);
    executor.query = async (statement, bounds) => {
      const result = await query(statement, bounds);
      if (statement.text.includes("for update")) throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
      return result;
    };
    const cut = await post("/payments", key, { id, amount: 5 });
    expect([cut.status, cut.json.code]).toEqual([503, "OUTCOME_UNKNOWN"]);
    executor.query = query;
    const again = await post("/payments", key, { id, amount: 5 });
    expect([again.status, again.json.id]).toEqual([201, id]);
    expect((await send({ target: `/payments?id=${id}` })).json.data).toHaveLength(1);
  });
});
