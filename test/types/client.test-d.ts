import {
  ApiError,
  type ApiErrorOf,
  type Attempt,
  attempt,
  type BatchResult,
  type Client,
  ConflictError,
  createClient,
  type ErrorCode,
  type ErrorCodeOf,
  type ExportedRows,
  etagOf,
  type ImportJob,
  PreconditionFailedError,
  type Reference,
  type WebhookTest,
  type WebhookWithSecret,
} from "restwright/client";
import { verifyWebhook, type WebhookEvent } from "restwright/webhooks";
import { expectTypeOf, test } from "vitest";
import { type Api, open, type PlainApi } from "./clientShop.js";

interface Listed {
  id: string;
  total: number;
  status: "open" | "paid";
}
interface Order extends Listed {
  address: { city: string; zip: string; since: string };
  note: string | null;
  customerId: number;
  ownerId: string;
  number: string;
  createdAt: string;
}
interface User {
  id: number;
  name: string;
  createdAt: string;
  nick?: string | undefined;
  salary?: number;
}
const address = { city: "a", zip: "b", since: new Date(0) };

test("lists show the compact view, or what was asked for, as answers have it", async () => {
  const shop = open();
  expectTypeOf((await shop.orders.list()).data).branded.toEqualTypeOf<Listed[]>();
  expectTypeOf((await shop.orders.list({ fields: ["id", "note"] })).data).branded.toEqualTypeOf<{ id: string; note: string | null }[]>();
  expectTypeOf((await shop.orders.list({ fields: ["createdAt"] })).data).branded.toEqualTypeOf<{ createdAt: string }[]>();
  expectTypeOf((await shop.orders.list({ fields: ["address.city"] })).data).branded.toEqualTypeOf<{ address: { city: string } }[]>();
  expectTypeOf((await shop.orders.list({ fields: ["address.since"] })).data).branded.toEqualTypeOf<{ address: { since: string } }[]>();
  expectTypeOf((await shop.orders.list({ exclude: ["total"] })).data).branded.toEqualTypeOf<{ id: string; status: "open" | "paid" }[]>();
  expectTypeOf((await shop.orders.list({ include: ["customer"] })).data).branded.toEqualTypeOf<(Listed & { customer: User | null })[]>();
  expectTypeOf((await shop.orders.list({ fields: ["id"], include: ["customer"] })).data).branded.toEqualTypeOf<
    { id: string; customer: User | null }[]
  >();
  expectTypeOf((await shop.users.list()).data).branded.toEqualTypeOf<User[]>();
  expectTypeOf((await shop.users.list({ fields: ["bio"] })).data).branded.toEqualTypeOf<{ bio: string }[]>();
  expectTypeOf((await shop.users.list({ fields: ["*", "bio"] })).data).branded.toEqualTypeOf<(User & { bio: string })[]>();
  expectTypeOf((await shop.tags.list()).data).branded.toEqualTypeOf<{ id: string; label: string }[]>();
  expectTypeOf((await shop.lines.list()).data).branded.toEqualTypeOf<{ orderId: string; line: number; sku: string }[]>();
  expectTypeOf((await shop.orders.list()).meta.total).toEqualTypeOf<number | null>();
  expectTypeOf((await shop.orders.list({ cursor: "x", perPage: 5 })).meta.nextCursor).toEqualTypeOf<string | null>();
});

test("single rows show the full view", async () => {
  const shop = open();
  expectTypeOf(await shop.orders.get("7")).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.get(7n)).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.users.get(7)).branded.toEqualTypeOf<User>();
  expectTypeOf(await shop.users.get(7, { exclude: ["salary", "createdAt"] })).branded.toEqualTypeOf<Pick<User, "id" | "name" | "nick">>();
  expectTypeOf(await shop.users.get(7, { fields: ["id"], include: ["orders"] })).branded.toEqualTypeOf<{
    id: number;
    orders: Listed[];
    ordersTruncated?: true;
  }>();
  expectTypeOf(await shop.orders.get("7", { exclude: ["address.zip"] }))
    .toHaveProperty("address")
    .branded.toEqualTypeOf<{ city: string; since: string }>();
  expectTypeOf((await shop.orders.get("7", { include: ["customer"] })).customer).branded.toEqualTypeOf<User | null>();
  expectTypeOf(await shop.lines.get(["7", 2])).branded.toEqualTypeOf<{ orderId: string; line: number; sku: string }>();
  expectTypeOf(await shop.lines.get([7n, 2], { fields: ["sku"] })).branded.toEqualTypeOf<{ sku: string }>();
});

test("walks, exports and counts", async () => {
  const shop = open();
  for await (const row of shop.orders.walk({ where: { total: { gte: 5 } }, limit: 10 })) expectTypeOf(row).branded.toEqualTypeOf<Listed>();
  for await (const row of shop.orders.walk({ fields: ["total"] })) expectTypeOf(row).branded.toEqualTypeOf<{ total: number }>();
  for await (const page of shop.orders.walk({ fields: ["total"] }).pages()) expectTypeOf(page.data).branded.toEqualTypeOf<{ total: number }[]>();
  expectTypeOf(shop.orders.walk({ exclude: ["total"] }).toArray({ limit: 5 })).resolves.branded.toEqualTypeOf<
    { id: string; status: "open" | "paid" }[]
  >();
  for await (const row of shop.users.walk({ fields: ["id"], include: ["orders"] })) expectTypeOf(row.orders).branded.toEqualTypeOf<Listed[]>();
  for await (const row of shop.orders.export()) expectTypeOf(row).branded.toEqualTypeOf<Order>();
  for await (const row of shop.orders.export({ where: { status: "paid" }, fields: ["id"] }))
    expectTypeOf(row).branded.toEqualTypeOf<{ id: string }>();
  expectTypeOf(shop.orders.export).returns.toExtend<ExportedRows>();
  expectTypeOf(shop.orders.export().blob("csv")).toEqualTypeOf<Promise<Blob>>();
  expectTypeOf(shop.orders.count({ where: { status: "paid", createdAt: { gte: new Date(0), lt: "2026-01-01" } } })).toEqualTypeOf<Promise<number>>();
});

test("watches yield what happens to rows", async () => {
  const shop = open();
  for await (const event of shop.orders.watch({ where: { total: { gte: 5 } }, after: "p1", signal: AbortSignal.timeout(1) })) {
    if (event.kind === "created" || event.kind === "changed") {
      expectTypeOf(event.row).branded.toEqualTypeOf<Listed>();
      expectTypeOf(event.version).toEqualTypeOf<string>();
    } else if (event.kind === "removed" || event.kind === "left") expectTypeOf(event.id).toEqualTypeOf<string>();
    else expectTypeOf(event.kind).toEqualTypeOf<"ready" | "reset">();
    expectTypeOf(event.position).toEqualTypeOf<string | undefined>();
  }
  for await (const event of shop.users.watch({ fields: ["id"], include: ["orders"] }))
    if (event.kind === "changed") expectTypeOf(event.row.orders).branded.toEqualTypeOf<Listed[]>();
  for await (const event of shop.lines.watch()) if (event.kind === "left") expectTypeOf(event.id).branded.toEqualTypeOf<readonly [string, number]>();
  expectTypeOf(shop.tags).toHaveProperty("watch");
  // @ts-expect-error -- the stream has no order
  void shop.orders.watch({ sort: "total" });
  // @ts-expect-error -- an unknown field
  void shop.orders.watch({ where: { totl: 5 } });
});

test("live rows are those of lists", () => {
  const shop = open();
  expectTypeOf(shop.orders.live().get().rows).branded.toEqualTypeOf<readonly Listed[]>();
  expectTypeOf(
    shop.orders.live({ where: { status: "paid" }, sort: ["-total", "createdAt"], fields: ["id", "note"], maxRows: 50 }).get().rows,
  ).branded.toEqualTypeOf<readonly { id: string; note: string | null }[]>();
  expectTypeOf(shop.users.live({ fields: ["id"], include: ["orders"] }).get().rows[0]?.orders).branded.toEqualTypeOf<Listed[] | undefined>();
  expectTypeOf(shop.orders.live().get().state).toEqualTypeOf<"loading" | "live" | "reconnecting" | "failed" | "closed">();
  expectTypeOf(shop.orders.live().subscribe(() => {})).toEqualTypeOf<() => void>();
  expectTypeOf(shop.lines.live({ id: ["orderId", "line"], sort: "sku" }).get().rows).branded.toEqualTypeOf<
    readonly { orderId: string; line: number; sku: string }[]
  >();
  // @ts-expect-error -- its id is not called id
  shop.lines.live();
  // @ts-expect-error -- these are not the parts of its id
  shop.lines.live({ id: ["orderId"] });
  // @ts-expect-error -- a field that cannot be sorted by
  shop.orders.live({ sort: "status" });
});

test("writes take dates and bigints, or their texts", async () => {
  const shop = open();
  const made = await shop.orders.create({ total: 5, address, note: null, customerId: 7 }, { idempotencyKey: "a-key-of-16-characters" });
  expectTypeOf(made).branded.toEqualTypeOf<Order>();
  expectTypeOf(etagOf(made)).toEqualTypeOf<string | undefined>();
  void shop.orders.create({ total: 5, address: { ...address, since: "2026-01-01T00:00:00Z" }, note: null, customerId: 7 });
  expectTypeOf(await shop.orders.update("7", { total: 6, address: { city: "b" } }, { ifMatch: made })).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.update(7n, (row) => ({ total: row.total + 1 }))).branded.toEqualTypeOf<Order>();
  void shop.orders.update(7n, async ({ createdAt }) => ({ address: { since: createdAt } }));
  expectTypeOf(await shop.users.update(7, { nick: null, hash: "new" })).branded.toEqualTypeOf<User>();
  expectTypeOf(shop.orders.remove("7", { ifMatch: '"1"' })).toEqualTypeOf<Promise<void>>();
  expectTypeOf(await shop.tags.replace("a", { label: "b" })).branded.toEqualTypeOf<{ id: string; label: string }>();
  expectTypeOf(await shop.lines.create({ orderId: "7", line: 2, sku: "a" })).branded.toEqualTypeOf<{ orderId: string; line: number; sku: string }>();
  expectTypeOf(shop.users.import(new Blob([]), { mode: "upsert", key: "name" })).toEqualTypeOf<Promise<ImportJob>>();
  expectTypeOf(await attempt(shop.tags.create({ id: "a", label: "b" }))).branded.toEqualTypeOf<Attempt<{ id: string; label: string }>>();
});

test("actions take their input, and return the row or their answer", async () => {
  const shop = open();
  expectTypeOf(await shop.orders.cancel("7", { reason: "late", at: new Date(0) })).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.cancel(7n, { reason: "late", at: "2026-01-01T00:00:00Z" }, { ifMatch: '"1"' })).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.ping("7")).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.sum({ since: "2026-01-01T00:00:00Z" })).branded.toEqualTypeOf<{ total: string; last: string }>();
  expectTypeOf(await shop.orders.statistics({ least: 5 })).branded.toEqualTypeOf<{ count: number }>();
});

test("batches refer to what earlier operations answer", async () => {
  const batch = open().batch();
  const user = batch.users.create({ name: "a", hash: "b", salary: 5, bio: "" });
  expectTypeOf(user.data.id).toEqualTypeOf<Reference<number>>();
  const order = batch.orders.create({ total: 5, address, note: null, customerId: user.data.id });
  expectTypeOf(order.data.id).toEqualTypeOf<Reference<string>>();
  const changed = batch.orders.update(order.data.id, { total: 6 });
  const canceled = batch.orders.cancel("7", { reason: user.data.name, at: new Date(0) });
  const removed = batch.users.remove(7);
  const done = await batch.send({ mode: "strict" });
  expectTypeOf(done.ok).toEqualTypeOf<boolean>();
  expectTypeOf(done.results).toEqualTypeOf<readonly BatchResult[]>();
  const result = done.of(changed);
  if (result.ok) expectTypeOf(result.data).branded.toEqualTypeOf<Order>();
  else expectTypeOf(result.error.status).toEqualTypeOf<number>();
  expectTypeOf(done.of(removed)).branded.toEqualTypeOf<BatchResult<undefined>>();
  expectTypeOf(done.of(canceled)).toExtend<{ ok: boolean }>();
});

test("webhooks know the events of the service", async () => {
  const shop = open();
  expectTypeOf(shop.webhooks.create({ url: "https://a", events: ["order.created", "order.*", "*"] })).toEqualTypeOf<Promise<WebhookWithSecret>>();
  expectTypeOf(shop.webhooks.test("wh")).toEqualTypeOf<Promise<WebhookTest>>();
  expectTypeOf(await (await shop.webhooks.recover("wh", { since: new Date(0) })).result()).branded.toEqualTypeOf<{ readonly replayed: number }>();
  const custom = createClient<Api, "report.ready">({ baseUrl: "", reads: { orders: ["statistics"] } });
  void custom.webhooks.create({ url: "https://a", events: ["report.ready", "report.*"] });
  const event = verifyWebhook<Api>({ headers: {}, rawBody: "", secrets: [] });
  expectTypeOf(event.type).toEqualTypeOf<"order.created" | "order.canceled">();
  expectTypeOf(event.createdAt).toEqualTypeOf<string>();
  if (event.type === "order.created")
    expectTypeOf(event.data).branded.toEqualTypeOf<{ readonly orderId: string; readonly total: number; readonly createdAt: string }>();
  expectTypeOf(verifyWebhook({ headers: {}, rawBody: "", secrets: [] })).toEqualTypeOf<WebhookEvent>();
  expectTypeOf(verifyWebhook<{ own: 1 }>({ headers: {}, rawBody: "", secrets: [] })).toEqualTypeOf<{ own: 1 }>();
});

test("a collection is also found by its name, and options are those of the service", () => {
  const shop = open();
  expectTypeOf(shop.collection("orders")).toEqualTypeOf<typeof shop.orders>();
  expectTypeOf(createClient<PlainApi>({ baseUrl: "" })).toEqualTypeOf<Client<PlainApi>>();
});

test("errors have the codes of the service", async () => {
  type RegistryCode = ErrorCodeOf<Readonly<Record<never, never>>>;
  expectTypeOf<"VALIDATION_FAILED" | "NOT_FOUND">().toExtend<RegistryCode>();
  expectTypeOf<Exclude<ErrorCodeOf<PlainApi>, RegistryCode>>().toEqualTypeOf<
    "DUPLICATE_ID" | "DUPLICATE_NAME" | "DUPLICATE_CREATED_AT_NICK" | "DUPLICATE_SALARY_ID"
  >();
  type Own = "DUPLICATE_ORDER_ID_LINE" | "ORDER_SHIPPED" | "SUM_TOO_LARGE" | "SUM_UNKNOWN";
  expectTypeOf<Exclude<ErrorCodeOf<Api>, ErrorCodeOf<PlainApi>>>().toEqualTypeOf<Own>();
  const shop = open();
  const { error } = (await attempt(shop.orders.ping("7"))) as { error: unknown };
  if (shop.isError(error)) {
    expectTypeOf(error).toEqualTypeOf<ApiErrorOf<Api>>();
    expectTypeOf<Exclude<ErrorCodeOf<Api>, typeof error.code>>().toEqualTypeOf<never>();
    switch (error.code) {
      case "ORDER_SHIPPED":
      case "CODE_OF_A_NEWER_SERVICE":
        expectTypeOf(error.code).toExtend<string>();
        break;
      default:
        expectTypeOf<Extract<typeof error.code, "ORDER_SHIPPED">>().toEqualTypeOf<never>();
        expectTypeOf<"SUM_UNKNOWN">().toExtend<typeof error.code>();
    }
  }
  if (error instanceof ConflictError && shop.isError(error)) expectTypeOf<Own>().toExtend<typeof error.code>();
  if (shop.isError(error) && error instanceof ConflictError) expectTypeOf<Own>().toExtend<typeof error.code>();
  if (shop.isError(error) && error instanceof PreconditionFailedError) expectTypeOf(error.current).toBeUnknown();
  if (error instanceof ApiError) expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  const result = (await shop.batch().send()).results[0];
  if (result?.ok === false && shop.isError(result.error)) expectTypeOf(result.error).toExtend<ApiErrorOf<Api>>();
});

test("wrong calls do not compile", () => {
  const wrong = async () => {
    const shop = open();
    // @ts-expect-error: no address
    createClient<PlainApi>({});
    // @ts-expect-error: no such option
    createClient<PlainApi>({ baseUrl: "", baseURL: "" });
    // @ts-expect-error: an action is read by GET
    createClient<Api>({ baseUrl: "" });
    // @ts-expect-error: not the action that is read
    createClient<Api>({ baseUrl: "", reads: { orders: ["sum"] } });
    // @ts-expect-error: no collection with such an action
    createClient<Api>({ baseUrl: "", reads: { orders: ["statistics"], users: ["a"] } });
    // @ts-expect-error: no action is read
    createClient<PlainApi>({ baseUrl: "", reads: { users: ["a"] } });
    // @ts-expect-error: headers are texts
    createClient<PlainApi>({ baseUrl: "", auth: () => ({ authorization: 7 }) });
    // @ts-expect-error: no such collection
    void shop.ordres;
    // @ts-expect-error: no such collection
    shop.collection("ordres");
    // @ts-expect-error: no such field
    void shop.orders.list({ where: { totl: 5 } });
    // @ts-expect-error: no such operator
    void shop.orders.list({ where: { total: { like: "5" } } });
    // @ts-expect-error: a number is not text
    void shop.orders.list({ where: { total: "5" } });
    // @ts-expect-error: no such value
    void shop.orders.list({ where: { status: "lost" } });
    // @ts-expect-error: not filterable
    void shop.orders.list({ where: { note: "a" } });
    // @ts-expect-error: write-only
    void shop.users.list({ where: { hash: "a" } });
    // @ts-expect-error: wrong value in an alternative
    void shop.orders.list({ where: { or: [{ total: "5" }] } });
    // @ts-expect-error: no such member
    void shop.orders.list({ where: { "address.street": "a" } });
    // @ts-expect-error: not sortable
    void shop.orders.list({ sort: "status" });
    // @ts-expect-error: no such key
    void shop.orders.list({ sort: ["-total", "-totl"] });
    // @ts-expect-error: no such field
    void shop.orders.list({ fields: ["totl"] });
    // @ts-expect-error: no such member
    void shop.orders.list({ fields: ["address.street"] });
    // @ts-expect-error: write-only
    void shop.users.list({ fields: ["hash"] });
    // @ts-expect-error: no such field
    void shop.orders.list({ exclude: ["totl"] });
    // @ts-expect-error: no such relation
    void shop.orders.list({ include: ["owner"] });
    // @ts-expect-error: a page or a cursor
    void shop.orders.list({ page: 2, cursor: "x" });
    // @ts-expect-error: no such mode
    void shop.orders.list({ count: "all" });
    // @ts-expect-error: no such option
    void shop.orders.list({ pageSize: 5 });
    void shop.orders.list({ offset: 10, limit: 5 });
    // @ts-expect-error: a list has no key
    void shop.orders.list({ idempotencyKey: "a" });
    // @ts-expect-error: not in the compact view
    void (await shop.orders.list()).data[0]?.note;
    // @ts-expect-error: not chosen
    void (await shop.orders.list({ fields: ["id"] })).data[0]?.total;
    // @ts-expect-error: not included
    void (await shop.orders.list()).data[0]?.customer;
    // @ts-expect-error: heavy
    void (await shop.users.get(7)).bio;
    // @ts-expect-error: in no row
    void (await shop.users.get(7)).hash;
    // @ts-expect-error: may be absent
    void (await shop.users.get(7)).salary.toFixed();
    // @ts-expect-error: dates are text
    void (await shop.users.get(7)).createdAt.getTime();
    // @ts-expect-error: bigints are text
    void ((await shop.orders.get("7")).id * 2n);
    // @ts-expect-error: may be missing
    void (await shop.orders.get("7", { include: ["customer"] })).customer.name;
    // @ts-expect-error: ids are bigints, or their texts
    void shop.orders.get(7);
    // @ts-expect-error: ids are numbers
    void shop.users.get("7");
    // @ts-expect-error: an id has two parts
    void shop.lines.get(["7"]);
    // @ts-expect-error: a single row has no filter
    void shop.orders.get("7", { where: {} });
    // @ts-expect-error: a tag is that of a row
    void shop.orders.get("7", { ifNoneMatch: 5 });
    // @ts-expect-error: no such field
    void shop.orders.count({ where: { totl: 5 } });
    // @ts-expect-error: walks have no pages
    void shop.orders.walk({ page: 2 });
    // @ts-expect-error: a limit is demanded
    void shop.orders.walk().toArray();
    // @ts-expect-error: total is missing
    void shop.orders.create({ address, note: null, customerId: 7 });
    // @ts-expect-error: generated
    void shop.users.create({ id: 7, name: "a", hash: "b", salary: 5, bio: "" });
    // @ts-expect-error: stamped
    void shop.orders.create({ total: 5, address, note: null, customerId: 7, ownerId: "ada" });
    // @ts-expect-error: read-only
    void shop.orders.create({ total: 5, address, note: null, customerId: 7, number: "1" });
    // @ts-expect-error: a date is a date or its text
    void shop.orders.create({ total: 5, address: { ...address, since: 5 }, note: null, customerId: 7 });
    // @ts-expect-error: a create has no condition
    void shop.tags.create({ id: "a", label: "b" }, { ifMatch: '"1"' });
    // @ts-expect-error: generated
    void shop.orders.update("7", { createdAt: new Date(0) });
    // @ts-expect-error: stamped, in a function
    void shop.orders.update("7", () => ({ total: 5, ownerId: "ada" }));
    // @ts-expect-error: an id cannot be changed
    void shop.orders.update("7", { id: "8" });
    // @ts-expect-error: wrong type
    void shop.orders.update("7", { total: "5" });
    // @ts-expect-error: no such member
    void shop.orders.update("7", { address: { street: "a" } });
    // @ts-expect-error: a required member cannot be removed
    void shop.orders.update("7", { total: null });
    // @ts-expect-error: neither a row nor a tag
    void shop.orders.update("7", { total: 5 }, { ifMatch: 5 });
    // @ts-expect-error: generated
    void shop.orders.replace("7", { id: "7", total: 5, address, note: null, customerId: 7 });
    // @ts-expect-error: tags cannot be read one by one
    void shop.tags.get("a");
    // @ts-expect-error: tags cannot be updated
    void shop.tags.update("a", { label: "b" });
    // @ts-expect-error: tags cannot be removed
    void shop.tags.remove("a");
    // @ts-expect-error: no such action
    void shop.orders.close("7");
    // @ts-expect-error: an input is demanded
    void shop.orders.cancel("7");
    // @ts-expect-error: wrong input
    void shop.orders.cancel("7", { reason: 5, at: new Date(0) });
    // @ts-expect-error: an action of the collection has no id
    void shop.orders.sum("7", { since: new Date(0) });
    // @ts-expect-error: no such key
    void shop.users.import("", { key: "nme" });
    // @ts-expect-error: no such format
    void shop.users.export().blob("xml");
    // @ts-expect-error: exports have no relations
    void shop.orders.export({ include: ["customer"] });
    // @ts-expect-error: no such field of a reference
    void shop.batch().users.create({ name: "a", hash: "b", salary: 5, bio: "" }).data.nme;
    // @ts-expect-error: a reference to a number is no text
    void shop.batch().users.update(7, { name: shop.batch().users.get(7).data.id });
    // @ts-expect-error: tags cannot be removed in a batch either
    void shop.batch().tags.remove("a");
    // @ts-expect-error: no such mode
    void shop.batch().send({ mode: "atomic" });
    // @ts-expect-error: no such event
    void shop.webhooks.create({ url: "https://a", events: ["order.creatd"] });
    // @ts-expect-error: no such status
    void shop.webhooks.deliveries("wh", { status: "lost" });
    // @ts-expect-error: no such unique key
    void ("DUPLICATE_NME" satisfies ErrorCodeOf<Api>);
    // @ts-expect-error: not a code of these collections
    void ("ORDER_SHIPPED" satisfies ErrorCodeOf<PlainApi>);
    // @ts-expect-error: an error of this client may have been caused by another
    void open().isError(new Error("a")).code;
  };
  expectTypeOf(wrong).toBeFunction();
});
