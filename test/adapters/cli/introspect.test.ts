import { describe, expect, test } from "vitest";
import { camelCase, collectionName, constantName, fieldName } from "../../../adapters/cli/introspect/names.js";
import { run } from "./stage.js";

describe("restwright introspect", () => {
  test("prints its help", async () => {
    const { code, stdout } = await run(["introspect", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--schema <name>");
  });

  test("needs a file or DATABASE_URL", async () => {
    const { code, stdout, stderr } = await run(["introspect"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      "Name a SQLite file, or set DATABASE_URL to the address of a PostgreSQL database, such as postgres://localhost/shop.\nTry: restwright introspect --help\n",
    );
  });

  test.each([
    [["postgres://ada:s3cret@localhost/shop"], {}],
    [["--table", "users"], { DATABASE_URL: "mysql://ada:s3cret@localhost/shop" }],
    [[], { DATABASE_URL: "postgres://ada:s3cret@127.0.0.1:1/shop" }],
    [[], { DATABASE_URL: "postgres://ada:s3cret@[/shop" }],
    [[], { DATABASE_URL: "postgres://ada:s3cret@127.0.0.1:99999999/shop" }],
  ])("never repeats a password: %j %j", async (args, variables) => {
    const { code, stdout, stderr } = await run(["introspect", ...args], { variables });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^(?:The address|Name a SQLite file|DATABASE_URL|The database cannot be read: .+)/);
    expect(stderr).not.toContain("s3cret");
  });

  test("refuses unknown options and arguments", async () => {
    expect((await run(["introspect", "--tables", "users"])).stderr).toContain("--tables");
    expect((await run(["introspect", "shop.db", "other.db"])).stderr).toContain("Name one SQLite file");
  });

  test.each([
    ["first_name", "firstName"],
    ["firstName", "firstName"],
    ["FirstName", "firstName"],
    ["ID", "id"],
    ["HTTPServerId", "httpServerId"],
    ["two words", "twoWords"],
    ["_hidden", "hidden"],
    ["line_2", "line2"],
    ["2fa", "n2Fa"],
    ["größe", "größe"],
    ["__proto__", "proto"],
    ["constructor", "constructorField"],
    ["has_own_property", "hasOwnPropertyField"],
    ["hasOwnProperty", "hasOwnPropertyField"],
    ["to_string", "toStringField"],
    ["---", "field"],
  ])("names the field of the column %j %j", (column, field) => {
    expect(fieldName(column)).toBe(field);
    expect(camelCase(field)).toBe(field);
  });

  test.each([
    ["order_lines", "orderLines", "orderLines"],
    ["User", "user", "user"],
    ["class", "class", "classResource"],
    ["then", "thenRows", "thenRows"],
    ["Ünïcödé", "unicode", "unicode"],
    ["日本", "table", "table"],
  ])("names the collection of the table %j %j", (table, collection, constant) => {
    expect(collectionName(table)).toBe(collection);
    expect(constantName(collection)).toBe(constant);
  });
});
