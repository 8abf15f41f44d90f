import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { hear, heard } from "./importHeard.js";
import { csv, importService, importSide } from "./importStage.js";

const file = csv("email,name\na@x.test,A\na@x.test,A\nold@x.test,New\nb@x.test,\nb@x.test,B\n");
const added = ["a@x.test", "b@x.test"];
const merged = ["a@x.test", "b@x.test", "changed a@x.test", "changed old@x.test"];

describe("events of imports", () => {
  test.each([
    ["outcomeNow", "", added],
    ["outcomeLater", "", added],
    ["outcomeNow", "mode=upsert&key=email", merged],
    ["outcomeLater", "mode=upsert&key=email", merged],
    ["outcomeNow", "mode=upsert&key=email&skipUnchanged=true", ["a@x.test", "b@x.test", "changed old@x.test"]],
    ["outcomeLater", "dryRun=true", []],
    ["outcomeNow", "dryRun=true", []],
    ["outcomeLater", "onError=stop", []],
    ["outcomeNow", "onError=stop", []],
    ["outcomeLater", "maxErrors=0", added],
    ["outcomeNow", "maxErrors=0", added],
  ] as const)("are told once for each row that was written (%s %s)", async (how, query, expected) => {
    const storage = memoryStorage();
    const service = importService(storage, heard);
    onTestFinished(() => service.close());
    const side = importSide(service, storage);
    await side.seed("people", { email: "old@x.test", name: "Old" });
    const told = await hear(side, storage);
    await side[how](query, file);
    expect(await told()).toEqual(expected);
  });
});
