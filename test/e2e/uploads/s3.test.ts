// @slow

import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import { openBlobs } from "../../../examples/shop/blobs.js";
import { start } from "../../../examples/shop/fastify.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { startS3Fake } from "../../adapters/stores/s3/bucket/fake.js";
import { eventually } from "../../tools/eventually.js";
import { temporaryFolder } from "../../tools/temporary.js";

const complete = { S3_ENDPOINT: "https://s3.example.com", S3_BUCKET: "shop", S3_ACCESS_KEY_ID: "AKID", S3_SECRET_ACCESS_KEY: "secret" };

describe("the settings of S3", () => {
  test("are all there, with a region that may be left out, or none is", () => {
    const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };
    const bucket = { endpoint: "https://s3.example.com", bucket: "shop", ...keys };
    expect(readSettings(complete).s3).toEqual({ ...bucket, region: "us-east-1" });
    expect(readSettings({ ...complete, S3_REGION: "auto" }).s3).toEqual({ ...bucket, region: "auto" });
    expect(readSettings({}).s3).toBeUndefined();
    expect(readSettings({ S3_REGION: "auto", S3_ENDPOINT: "" }).s3).toBeUndefined();
  });

  test.each(Object.keys(complete))("are refused where %s alone is missing, by its name and without a secret", (name) => {
    expect(() => readSettings({ ...complete, [name]: "" })).toThrow(`${name} must also be set to keep files in S3.`);
  });

  test("are refused where the endpoint is no address", () => {
    for (const S3_ENDPOINT of ["s3.example.com", "s3://shop", "https://"])
      expect(() => readSettings({ ...complete, S3_ENDPOINT })).toThrow("S3_ENDPOINT must be a URL like https://s3.eu-west-1.amazonaws.com.");
  });

  test("put files into S3, and without them into the data folder or memory", () => {
    const nameOf = (variables: Readonly<Record<string, string>>) => openBlobs(readSettings(variables)).name;
    expect([nameOf(complete), nameOf({ DATA_DIR: temporaryFolder() }), nameOf({ DATA_DIR: ":memory:" })]).toEqual(["s3", "disk", "memory"]);
  });
});

describe("the shop with its files in S3", async () => {
  const fake = await startS3Fake();
  afterAll(() => fake.close());

  test("takes an import through the bucket, and sends who fetches an export there", async () => {
    const bucket = fake.bucket();
    const { accessKeyId, secretAccessKey } = fake.keys;
    const variables = { S3_ENDPOINT: fake.endpoint, S3_BUCKET: bucket, S3_REGION: fake.region, S3_ACCESS_KEY_ID: accessKeyId };
    const service = createShop(readSettings({ DATA_DIR: ":memory:", ...variables, S3_SECRET_ACCESS_KEY: secretAccessKey }));
    await service.start();
    const at = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
    onTestFinished(() => at.close(() => service.close()));
    const ask = (target: string, init: RequestInit = {}) => fetch(new URL(target, `http://127.0.0.1:${at.port}`), { redirect: "manual", ...init });
    const post = async (target: string, contentType: string, body: string) => {
      const accepted = await ask(target, { method: "POST", headers: { "content-type": contentType }, body });
      expect(accepted.status).toBe(202);
      return eventually(async () => {
        const job = JSON.parse(await (await ask(accepted.headers.get("location") ?? "")).text());
        expect(job.status).toBe("completed");
        return job;
      });
    };
    await post("/imports?collection=users", "text/csv", "name,email\nAda,ada@example.com\n");
    const { result } = await post("/exports", "application/json", '{"collection":"users","format":"csv","fields":["name","email"]}');
    const download = await ask(result.downloadUrl);
    expect([download.status, download.headers.get("cache-control")]).toEqual([302, "no-store"]);
    const file = await fetch(download.headers.get("location") ?? "");
    expect([file.status, file.headers.get("content-type"), await file.text()]).toEqual([
      200,
      "text/csv; charset=utf-8",
      "name,email\r\nAda,ada@example.com\r\n",
    ]);
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="users/);
    expect([...fake.inside(bucket).objects.keys()].map((key) => key.split("_")[0])).toContain("export");
  });
});
