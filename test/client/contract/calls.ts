import { ApiError, attempt, createClient, ValidationError } from "restwright/client";
import type { ShopService } from "../shopStage.js";
import type { ContractCase } from "./place.js";
import { refusalOf } from "./rows.js";

/** Errors, credentials, options and batches. */
export const callCases: readonly ContractCase[] = [
  {
    name: "throws errors of their classes, with the faults of each field",
    async run({ client, newUser }) {
      const made = await attempt(client().users.create({ name: "", email: "nowhere", address: { city: "x".repeat(200), country: "a" } }));
      const error = made.ok ? undefined : made.error;
      const isTyped = [error instanceof ValidationError, error instanceof ApiError];
      const { fields = {}, requestId, attempts } = error as Partial<ApiError>;
      const user = newUser();
      await client().users.create(user);
      const twice = await refusalOf(client().users.create(user));
      return [isTyped, Object.keys(fields).toSorted(), typeof requestId, attempts, twice];
    },
    expected: [[true, true], ["address.city", "email", "name"], "string", 1, "ValidationError 422 DUPLICATE_EMAIL"],
  },
  {
    name: "says who may not do what",
    async run({ client, newUser }) {
      const nobody = client({ auth: () => ({ authorization: "Bearer nobody" }) });
      const clerk = client({ auth: () => ({ authorization: "Bearer carol" }) });
      return [await refusalOf(nobody.users.list()), await refusalOf(clerk.users.create({ ...newUser(), region: "south" }))];
    },
    expected: ["AuthenticationError 401 UNAUTHENTICATED", "ForbiddenError 403 OUT_OF_SCOPE"],
  },
  {
    name: "renews credentials once for calls at the same time",
    async run({ client }) {
      const asked: boolean[] = [];
      let token = "expired";
      const shop = client({
        async auth({ refused }) {
          asked.push(refused);
          if (refused) token = "alice";
          await new Promise((resolve) => setTimeout(resolve, 10));
          return { authorization: `Bearer ${token}` };
        },
      });
      const lists = await Promise.all(
        Array.from({ length: 5 }, () => shop.products.list({ perPage: 1 }).then(() => shop.users.list({ perPage: 1 }))),
      );
      return [lists.length, asked.filter((refused) => refused).length];
    },
    expected: [5, 1],
  },
  {
    name: "does a write once for one key",
    async run({ client, newUser, name }) {
      const user = newUser();
      const options = { idempotencyKey: `key-of-${name}-0123456789` };
      const [first, second] = [await client().users.create(user, options), await client().users.create(user, options)];
      return [first.id === second.id, await client().users.count({ where: { email: user.email } })];
    },
    expected: [true, 1],
  },
  {
    name: "sends what a call asks for: version, language, Prefer, headers",
    async run({ client, newUser }) {
      const { id } = await client().users.create(newUser());
      const second = await client({ version: "v2" }).users.get(id);
      const first = await client({ version: "v2" }).users.get(id, { version: "v1" });
      const german = await attempt(client().users.create({} as never, { language: "de", headers: { "x-request-id": "asked" } }));
      const { message, requestId } = (german.ok ? {} : german.error) as ApiError;
      const minimal = await client().users.update(id, { tags: ["b"] }, { prefer: "return=minimal" });
      return [second.name, first.name, message.includes("Felder"), requestId, minimal ?? null];
    },
    expected: [{ givenName: "User", familyName: "1" }, "User 1", true, "asked", null],
  },
  {
    name: "tells once of a deprecated operation",
    async run({ client }) {
      const told: unknown[] = [];
      const shop = client({ onDeprecated: ({ operation, sunset }) => told.push([operation, typeof sunset]) });
      await shop.users.list();
      await shop.users.list();
      return told;
    },
    expected: [["users.list", "string"]],
  },
  {
    name: "refuses unknown options before it sends anything",
    async run({ client }) {
      let sent = 0;
      const { users } = client({ onRequest: () => (sent += 1) });
      const wrong = { limt: 5 } as object;
      const calls = [users.list(wrong), users.get(1, wrong), users.update(1, {}, wrong), users.import("", wrong), users.export(wrong).blob()];
      return [await Promise.all(calls.map(refusalOf)), sent];
    },
    expected: [["TypeError", "TypeError", "TypeError", "TypeError", "TypeError"], 0],
  },
  {
    name: "ends a call at once when it is aborted, and says that nobody answers",
    async run({ client }) {
      const reason = new Error("enough");
      const aborted = await attempt(client().users.list({ signal: AbortSignal.abort(reason) }));
      const controller = new AbortController();
      const running = attempt(client({ maxRetries: 5 }).users.list({ headers: { "x-slow": "1" }, signal: controller.signal }));
      controller.abort(reason);
      const ended = await running;
      const away = createClient<ShopService>({ baseUrl: "http://127.0.0.1:9/v1", maxRetries: 0 });
      return [!aborted.ok && aborted.error === reason, !ended.ok && ended.error === reason, await refusalOf(away.users.list())];
    },
    expected: [true, true, "NetworkError"],
  },
  {
    name: "sends batches with references: all or none, or each by itself",
    async run({ client, newUser }) {
      const strict = client().batch();
      const user = strict.users.create(newUser());
      const order = strict.orders.create({ customerId: user.data.id, total: 5, currency: "EUR" });
      const done = await strict.send({ mode: "strict" });
      const made = done.of(order);
      const lenient = client().batch();
      lenient.users.create(newUser());
      const failing = lenient.users.create({ name: "", email: "nowhere" });
      const partly = await lenient.send({ mode: "lenient" });
      const failed = partly.of(failing);
      return [done.ok, made.ok && made.data.total, partly.ok, partly.results.map(({ status }) => status), !failed.ok && failed.error.code];
    },
    expected: [true, 5, false, [201, 422], "VALIDATION_FAILED"],
  },
  {
    name: "registers a webhook, reads its deliveries and removes it",
    async run({ client }) {
      const { webhooks } = client();
      const hook = await webhooks.create({ url: "https://hooks.example.com/shop", events: ["order.*"] });
      const { data } = await webhooks.deliveries(hook.id);
      const changed = await webhooks.update(hook.id, { active: false });
      await webhooks.remove(hook.id);
      return [hook.secret.startsWith("whsec_"), data, changed.active, await refusalOf(webhooks.get(hook.id))];
    },
    expected: [true, [], false, "NotFoundError 404 NOT_FOUND"],
  },
];
