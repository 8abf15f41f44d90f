import type { AuthorizationQuestion, Authorize } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { withScope } from "../../../engine/rules/withScope.js";
import { clientOf } from "../../../tools/client.js";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { endedJob, jobOf } from "../../batch/batchJobStage.js";
import { csv, type ImportSide, importService, importSide, importTables, json, ndjson, people } from "./importStage.js";

function open(authorize?: Authorize, options: Partial<FullServiceOptions> = {}): ImportSide {
  const storage = memoryStorage();
  const service = importService(storage, { authorize, ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return importSide(service, storage);
}

const good = csv("email,name\nada@x.test,Ada\n");
const ways = ["outcomeNow", "outcomeLater"] as const;

describe.each(ways)("the rules of fields hold for imports (%s)", (way) => {
  test("of what may not be written: its column is 403, its member fails the row", async () => {
    const side = open();
    expect((await side[way]("", csv("email,name,salary\nada@x.test,Ada,1\n"))).code).toBe("FORBIDDEN_FIELD");
    expect((await side[way]("unknownColumns=ignore", csv("email,name,salary\nada@x.test,Ada,1\n"))).code).toBe("FORBIDDEN_FIELD");
    for (const query of ["", "unknownColumns=ignore"]) {
      const { errors } = await side[way](query, ndjson({ email: "ada@x.test", name: "Ada", salary: 1 }));
      expect(errors).toEqual([[1, 1, "FORBIDDEN_FIELD salary"]]);
    }
    const { counts } = await side[way]("", csv("email,name,salary,pin\nada@x.test,Ada,1,x\n"), "admin");
    expect(counts).toEqual([1, 0, 0, 0]);
  });

  test("of what is hidden: it is as if it were not there", async () => {
    const side = open();
    await side.seed("people", { email: "ada@x.test", name: "Ada", pin: "1234" });
    const hidden = await side[way]("", ndjson({ email: "bob@x.test", name: "Bob", pin: "1" }, { email: "bob@x.test", name: "Bob", pim: "1" }));
    expect(hidden.errors).toEqual([
      [1, 1, "VALIDATION_FAILED pin"],
      [2, 2, "VALIDATION_FAILED pim"],
    ]);
    // Whoever could look for rows by it would find its values out.
    expect((await side[way]("mode=update&key=pin", ndjson({ pin: "1234", name: "Eve" }))).code).toBe("INVALID_VALUE");
    expect((await side[way]("mode=update&key=pin", ndjson({ pin: "1234", name: "Eve" }), "admin")).counts).toEqual([0, 1, 0, 0]);
  });

  test("of what the server fills and files may: also where it is a member", async () => {
    const side = open();
    const row = { email: "ada@x.test", name: "Ada", createdAt: "2001-01-01T00:00:00Z" };
    expect((await side[way]("", csv(`email,name,createdAt\n${Object.values(row).join(",")}`), "temp")).code).toBe("FORBIDDEN_FIELD");
    expect((await side[way]("", ndjson(row), "temp")).errors).toEqual([[1, 1, "FORBIDDEN_FIELD createdAt"]]);
    expect((await side[way]("", ndjson(row))).counts).toEqual([1, 0, 0, 0]);
    expect((await side[way]("mode=update&key=email", ndjson(row), "temp")).errors).toEqual([[1, 1, "FORBIDDEN_FIELD createdAt"]]);
  });
});

type Asked = Pick<AuthorizationQuestion, "action" | "collection" | "fields">;

describe.each(ways)("authorize is asked as for a POST and a PATCH (%s)", (way) => {
  test("for the collection, and for each set of fields", async () => {
    const asked: Asked[] = [];
    const side = open(({ principal, action, collection, fields }) => {
      if (principal.id !== "admin") asked.push({ action, collection, ...(fields && { fields }) } as Asked);
      return true;
    });
    await side.seed("people", { email: "ada@x.test", name: "Ada" });
    await side[way]("mode=upsert&key=email", csv("email,name,age\nada@x.test,Ada,1\nbob@x.test,Bob,2\neve@x.test,Eve,3\nmax@x.test,Max,\nnone,,\n"));
    const unique = new Set(asked.map((each) => JSON.stringify(each)));
    expect([...unique].map((each) => JSON.parse(each))).toEqual([
      { action: "create", collection: "people" },
      { action: "update", collection: "people" },
      { action: "update", collection: "people", fields: ["name", "age"] },
      { action: "create", collection: "people", fields: ["email", "name", "age"] },
    ]);
  });

  test("and what it says holds for each row", async () => {
    const side = open(({ principal, fields }) => {
      if (principal.id === "narrow") return { fields: ["email", "name"] };
      return principal.id === "admin" || fields?.includes("badge") !== true;
    });
    await side.seed("people", { email: "ada@x.test", name: "Ada" });
    const rows = [
      { email: "ada@x.test", badge: "1" },
      { email: "ada@x.test", age: 1 },
      { email: "new@x.test", name: "New", badge: "1" },
      { email: "new@x.test", name: "New" },
    ];
    const { errors, counts } = await side[way]("mode=upsert&key=email", ndjson(...rows));
    expect([counts, errors]).toEqual([
      [1, 1, 0, 2],
      [
        [1, 1, "FORBIDDEN"],
        [3, 3, "FORBIDDEN"],
      ],
    ]);
    const narrow = await side[way]("mode=upsert&key=email", ndjson({ email: "ada@x.test", age: 2 }, { email: "ada@x.test", name: "A" }), "narrow");
    expect([narrow.counts, narrow.errors]).toEqual([[0, 1, 0, 1], [[1, 1, "FORBIDDEN_FIELD age"]]]);
  });

  test("and rows are found only by fields that it lets the principal write, or filter by", async () => {
    const side = open(({ principal: { id }, action }) => {
      if (id === "admin") return true;
      return { fields: id === "reader" && action === "list" ? ["name", "email"] : ["name"] };
    });
    await side.seed("people", { email: "ada@x.test", name: "Ada" });
    for (const mode of ["update", "upsert"]) {
      for (const email of ["ada@x.test", "none@x.test"]) {
        expect((await side[way](`mode=${mode}&key=email`, ndjson({ email, name: "Eve" }), "narrow")).code).toBe("FORBIDDEN_FIELD");
      }
    }
    expect((await side[way]("mode=update&key=id", ndjson({ id: 1, name: "By id" }), "narrow")).counts).toEqual([0, 1, 0, 0]);
    expect((await side[way]("mode=update&key=email", ndjson({ email: "ada@x.test", name: "Eve" }), "reader")).counts).toEqual([0, 1, 0, 0]);
  });

  test("for every set of fields by itself, however their names are put together", async () => {
    const side = open(({ principal, fields }) => principal.id === "admin" || fields?.includes("badge") !== true);
    // One name that reads like two must not get a permit for these.
    const { errors } = await side[way](
      "",
      json([
        { email: "a@x.test", "name\0badge": "x" },
        { email: "a@x.test", name: "A", badge: "1" },
      ]),
    );
    expect(errors).toEqual([
      [1, 1, "VALIDATION_FAILED name\0badge"],
      [2, 1, "FORBIDDEN"],
    ]);
    const sly = await side[way](
      "",
      json([{ 'email","name': 1 }, { email: "a@x.test", name: "A", "badge\\": 1 }, { email: "a@x.test", name: "A", badge: "1" }]),
    );
    expect(sly.errors?.at(-1)).toEqual([3, 1, "FORBIDDEN"]);
  });

  test("and a no to the whole is the answer to the request", async () => {
    const side = open(({ principal, action }) => principal.id === "admin" || action !== "update");
    expect((await side[way]("", good)).counts).toEqual([1, 0, 0, 0]);
    expect((await side[way]("mode=upsert&key=email", good)).code).toBe("FORBIDDEN");
    expect((await side[way]("mode=update&key=email", good)).code).toBe("FORBIDDEN");
  });

  test("and it narrows the header", async () => {
    const side = open(({ principal }) => principal.id === "admin" || { fields: ["email", "name"] });
    expect((await side[way]("", csv("email,name,age\na@x.test,A,1\n"))).code).toBe("FORBIDDEN_FIELD");
    expect((await side[way]("", good)).counts).toEqual([1, 0, 0, 0]);
  });
});

describe.each(ways)("the scope holds for imports (%s)", (way) => {
  const scoped = withScope(people, ({ action, when }) => {
    if (action === "create") return { name: { ne: "boss" } };
    return { name: { nin: action === "read" ? ["ghost"] : when === "before" ? ["ghost", "locked"] : ["boss"] } };
  });
  const openScoped = () => open(undefined, { resources: importTables.map((table) => (table === people ? scoped : table)) });
  const seeded = async () => {
    const side = openScoped();
    await side.seed("people", ...["locked", "ghost", "Ada", "Bob"].map((name) => ({ email: `${name}@x.test`, name })));
    return side;
  };

  test("a row that may be read only is 403, a key of a hidden one is taken, and no row may leave the scope", async () => {
    const side = await seeded();
    const rows = [
      { email: "locked@x.test", name: "a" },
      { email: "ghost@x.test", name: "b" },
      { email: "ada@x.test", name: "boss" },
      { email: "bob@x.test", age: 1 },
      { email: "bad@x.test", name: "boss" },
      { email: "new@x.test", name: "New" },
    ];
    const { errors, counts } = await side[way]("mode=upsert&key=email", ndjson(...rows));
    expect([counts, errors]).toEqual([
      [1, 1, 0, 4],
      [
        [1, 1, "FORBIDDEN"],
        [2, 2, "DUPLICATE_EMAIL email"],
        [3, 3, "OUT_OF_SCOPE"],
        [5, 5, "OUT_OF_SCOPE"],
      ],
    ]);
    expect((await side.rows()).map(({ name, age }) => [name, age])).toEqual([
      ["locked", null],
      ["ghost", null],
      ["Ada", null],
      ["Bob", 1],
      ["New", null],
    ]);
  });

  test("a hidden row and a missing one have the same answer", async () => {
    const side = await seeded();
    const update = await side[way]("mode=update&key=email", ndjson({ email: "ghost@x.test", name: "b" }, { email: "gone@x.test", name: "b" }));
    expect(update.errors).toEqual([
      [1, 1, "NOT_FOUND email"],
      [2, 2, "NOT_FOUND email"],
    ]);
  });

  test("an insert outside of it fails its row", async () => {
    const { errors, counts } = await openScoped()[way]("", csv("email,name\nada@x.test,Ada\nbob@x.test,boss\n"));
    expect([counts, errors]).toEqual([[1, 0, 0, 1], [[2, 3, "OUT_OF_SCOPE"]]]);
  });
});

describe("the job of an import", () => {
  test("and its errors are its owner's and its admins', and nobody else's", async () => {
    const side = open(undefined, { jobs: { isAdmin: ({ id }) => id === "admin" } });
    const accepted = await side.submit("", csv("email,name\nx,\n"));
    await side.ended(accepted);
    const target = jobOf(accepted);
    const statuses = async (who: string, of: ImportSide = side) =>
      Promise.all(
        [
          ["GET", target],
          ["GET", `${target}/errors`],
          ["POST", `${target}/resume`],
          ["POST", `${target}/cancel`],
        ].map(async ([method = "", path = ""]) => (await of.send({ method, target: path }, who)).status),
      );
    expect(await statuses("ada")).toEqual([200, 200, 409, 409]);
    expect(await statuses("admin")).toEqual([200, 200, 409, 409]);
    expect(await statuses("bob")).toEqual([404, 404, 404, 404]);
    expect((await side.send({ method: "DELETE", target }, "bob")).status).toBe(404);
    const stranger = {
      ...side,
      send: (sent: Parameters<ImportSide["send"]>[0]) => side.send({ ...sent, headers: { authorization: "Bearer other/admin" } }),
    };
    expect(await statuses("admin", stranger)).toEqual([404, 404, 404, 404]);
    expect((await side.send({ target: `/exports/${target.split("/").at(-1)}` })).status).toBe(404);
  });

  test.each<[string, () => Authorize, string]>([
    ["permission", () => () => false, "FORBIDDEN"],
    ["collection", () => () => ({ hide: true }), "NOT_FOUND"],
    ["right to a field of the header", () => () => ({ fields: ["email"] }), "FORBIDDEN_FIELD"],
  ])("fails where the %s has gone when it runs, with the principal that sent it", async (_, lost, code) => {
    const storage = memoryStorage();
    const shared = { ...storage, close: async () => {} };
    const auth = [bearer((token) => ({ id: token, tenant: "t", claims: { role: "clerk" } }))];
    let authorize: Authorize = () => true;
    const seen: unknown[] = [];
    const asking: Authorize = (question) => {
      seen.push(question.principal);
      return authorize(question);
    };
    const blobs = memoryBlobs();
    const first = importService(shared as typeof storage, { auth, authorize: asking, blobs, jobs: { work: false } });
    const headers = { authorization: "Bearer ada", "content-type": "text/csv" };
    const accepted = await clientOf(first)({ method: "POST", target: "/imports?collection=people", headers, body: good.body });
    authorize = lost();
    seen.length = 0;
    const second = importService(shared as typeof storage, { auth, authorize: asking, blobs });
    onTestFinished(() => second.close({ graceMs: 0 }));
    await second.start();
    const job = await endedJob(clientOf(second), jobOf(accepted), headers);
    expect([job.status, job.error?.code]).toEqual(["failed", code]);
    expect(seen[0]).toEqual({ id: "ada", tenant: "t", claims: { role: "clerk" } });
  });
});
