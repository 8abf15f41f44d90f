import type { Storage } from "restwright";
import { onTestFinished } from "vitest";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";
import { RightsStage } from "./stage.js";

/** The same tests on every store that keeps jobs. */
export function describeRights(title: string, tests: (open: () => Promise<RightsStage>) => void): void {
  describeStores(
    title,
    ({ open }) => tests(() => opened(open)),
    ({ name }) => !name.startsWith("a store"),
  );
}

async function opened(open: () => Promise<OpenedStore>): Promise<RightsStage> {
  const { storage, end } = await open();
  const stage = new RightsStage(storage);
  onTestFinished(async () => {
    await stage.close();
    await (storage as Storage).close?.();
    await end();
  });
  return stage;
}
