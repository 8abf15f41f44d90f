import { type FileCheck, pass } from "restwright/checks";
import { afterEach, describe, expect, test } from "vitest";
import { type UploadPlace, uploadPlaces } from "../places.js";
import { type UploadStage, uploadStage } from "../stage.js";

describe.each(uploadPlaces)("on %s", (_, open) => {
  let place: UploadPlace;
  const stages: UploadStage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
    await place.remove();
  });

  test("a PATCH that comes late, while the file is looked into, keeps nobody from recording what came of it", async () => {
    place = await open();
    let look: () => void = () => {};
    const mayLook = new Promise<void>((resolve) => {
      look = resolve;
    });
    let isLookedInto = false;
    const slow: FileCheck = {
      name: "slow",
      needs: "head",
      async run() {
        isLookedInto = true;
        await mayLook;
        return pass;
      },
    };
    const one = await uploadStage({ ...place.stores(), uploads: { checks: [slow] } });
    const other = await uploadStage({ ...place.stores(), uploads: { checks: [slow] } });
    stages.push(one, other);
    const path = await one.create(5);
    const last = one.patch(path, 0, "hello");
    await expect.poll(() => isLookedInto).toBe(true);
    const late = [await other.patch(path, 5, ""), await one.patch(path, 5, "")];
    expect(late.map(({ status, headers }) => [status, headers["upload-offset"]])).toEqual([
      [204, "5"],
      [204, "5"],
    ]);
    look();
    expect((await last).status).toBe(204);
    expect((await one.send("GET", path)).json).toMatchObject({ status: "ready", size: 5 });
  });
});
