import { Type } from 'typebox';
import { createHeaderAuthenticator, describeSender } from '../../src/parties/http/authenticate.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { mountResources } from '../../src/platform/http/resource.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { addResource } from '../../src/platform/http/resource-routes.ts';
import { KnownNames } from '../../src/platform/http/wire/parameters.ts';
import type { Service } from '../../src/service.ts';
import { answers, answersView, endAnswers, setAnswers } from './answers.ts';
import { bringBillerOnline, takeBillerOffline } from './billers.ts';
import { control } from './control.ts';
import type { ControlDeps } from './control.ts';
import { changeOperatorFloat, refillFloat } from './floats.ts';
import { refuseOtherHosts } from './guard.ts';
import {
  advancePayment,
  chooseNextOutcome,
  dropNextOutcomes,
  listNextOutcomes,
  nextOutcomes,
} from './outcomes.ts';
import { startRecording } from './recording.ts';
import { triggerEvent } from './trigger.ts';

const PREFIX = '/sandbox';

/** Adds `/sandbox` to the service. Only the sandbox calls it, so no other service has these routes. */
export async function addControls(
  service: Service,
  options: Pick<ControlDeps, 'masterKeys' | 'faults' | 'credit'> & {
    readonly operators?: ControlDeps['operators'];
    readonly publicUrl: string;
  },
): Promise<void> {
  const { app, authentication } = service;
  const { operators, masterKeys } = options;
  if (operators === undefined) throw new Error('the operators start before the service');
  const ledgerMac = await openLedgerMac(service.pool, masterKeys);
  const { directory, limits } = authentication;
  const byHeader = createHeaderAuthenticator(authentication);
  const deps = {
    limits,
    knownNames: new KnownNames(),
    describeSender: (fields: Parameters<typeof describeSender>[0]) =>
      describeSender(fields, directory),
    describeKey: () => ({}),
  };
  const resources = mountResources(
    PREFIX,
    controls({ ...options, operators, ledgerMac, byHeader, service }),
  );
  await app.register((scope, _options, done) => {
    scope.addHook('onRequest', refuseOtherHosts(options.publicUrl));
    for (const resource of resources) addResource(scope, resource, deps);
    done();
  });
}

function controls(deps: ControlDeps): AnyResource[] {
  return [
    showState(deps),
    refillFloat(deps),
    changeOperatorFloat(deps),
    takeBillerOffline(deps),
    bringBillerOnline(deps),
    chooseNextOutcome(deps),
    dropNextOutcomes(deps),
    advancePayment(deps),
    startRecording(deps),
    triggerEvent(deps),
    setAnswers(deps),
    endAnswers(deps),
  ];
}

/** Shows the settings that the vendor has made. */
function showState(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxState',
    method: 'GET',
    path: '/state',
    response: Type.Object({
      vid: Type.String(),
      answers,
      next_outcomes: nextOutcomes,
      offline_billers: Type.Array(Type.String()),
    }),
    handle: async (_asked, { signer }) => ({
      vid: signer.vid,
      answers: answersView(deps.faults.of(signer.vendorId)),
      next_outcomes: await listNextOutcomes(deps, signer),
      offline_billers: deps.service.catalogue
        .billers()
        .filter(({ availability }) => availability === 'OFFLINE')
        .map(({ billerCode }) => billerCode),
    }),
  });
}
