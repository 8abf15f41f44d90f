import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { signDownload, verifyDownload } from "../../../src/capabilities/transfer/export/downloadAddress.js";
import { Secrets } from "../../../src/ground/secrets/secrets.js";
import { isSignedQuery } from "../../../src/parts/blobs/signedUrl.js";

const job = { id: "a/b 7", tenant: "acme", owner: "ada" };
const secrets = new Secrets(["a secret of sixteen bytes"]);

function signed(clock = new FakeClock()) {
  const [path = "", query = ""] = signDownload({ clock, secrets }, job).split("?");
  return { clock, path, query };
}

describe("the address of a file", () => {
  test("names the job, below the mount", () => {
    expect(signed().path).toBe("/exports/a%2Fb%207/download");
  });

  test("is the same for five minutes, and holds for ten to fifteen", () => {
    const clock = new FakeClock();
    const { query } = signed(clock);
    clock.advance(299_999);
    expect(signed(clock).query).toBe(query);
    clock.advance(1);
    expect(signed(clock).query).not.toBe(query);
    clock.advance(599_999);
    verifyDownload({ clock, secrets }, job, query);
    clock.advance(1);
    expect(() => verifyDownload({ clock, secrets }, job, query)).toThrow(/was valid until/);
  });

  test("holds while its secret is among those in use", () => {
    const { clock, query } = signed();
    const next = new Secrets(["another secret of sixteen bytes", "a secret of sixteen bytes"]);
    verifyDownload({ clock, secrets: next }, job, query);
    const later = new Secrets(["another secret of sixteen bytes"]);
    expect(() => verifyDownload({ clock, secrets: later }, job, query)).toThrow(expect.objectContaining({ code: "INVALID_SIGNATURE" }));
  });

  test.each<[string, Partial<typeof job>, (query: string) => string]>([
    ["another job", { id: "a/b 8" }, (query) => query],
    ["another owner", { owner: "ben" }, (query) => query],
    ["another tenant", { tenant: "other" }, (query) => query],
    ["no tenant", { tenant: undefined as never }, (query) => query],
    ["a later end", {}, (query) => query.replace(/e=(\d+)/, (_, e) => `e=${Number(e) + 1}`)],
    ["the end twice", {}, (query) => `${query}&${query.slice(0, query.indexOf("&"))}`],
    ["another parameter", {}, (query) => `${query}&x=1`],
    ["another signature", {}, (query) => `${query.slice(0, -1)}${query.endsWith("A") ? "B" : "A"}`],
    ["a longer signature", {}, (query) => `${query}A`],
    ["no signature", {}, (query) => query.replace(/s=.*/, "s=")],
    ["no key", {}, (query) => query.replace(/&k=[^&]*/, "")],
    ["nothing at all", {}, () => ""],
  ])("is refused for %s", (_, change, tamper) => {
    const { clock, query } = signed();
    expect(() => verifyDownload({ clock, secrets }, { ...job, ...change }, tamper(query))).toThrow(
      expect.objectContaining({ code: "INVALID_SIGNATURE" }),
    );
  });

  test("is told from a request with credentials by its signature", () => {
    expect([isSignedQuery(signed().query), isSignedQuery("s=1"), isSignedQuery("e=1"), isSignedQuery("es=1"), isSignedQuery("")]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
