// @slow only-in-full

import { describeOnDisk } from "../../../tools/storage/describeInStorages.js";
import { testJobs } from "./jobTests.js";
import { testSubscribers } from "./subscriberTests.js";
import { testUploads } from "./uploadTests.js";
import { testWebhooks } from "./webhookTests.js";

// In memory each has a file of its own, as `jobs.test.ts`.
describeOnDisk("jobs", testJobs);
describeOnDisk("webhooks", testWebhooks);
describeOnDisk("subscribers", testSubscribers);
describeOnDisk("uploads", testUploads);
