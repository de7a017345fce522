import { Trans, useLingui } from '@lingui/react/macro';
import type { VendorDetail } from '../../../../src/console/vendor-answers.ts';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Money } from '../../format/Money.tsx';
import { ChangeLow } from './ChangeLow.tsx';
import { useSectors, useSettingNames } from './setting-names.ts';

/** How a vendor's requests are treated. */
export function Settings({ vendor }: { readonly vendor: VendorDetail }) {
  const { t } = useLingui();
  const sectors = useSectors();
  const names = useSettingNames();
  const { settings, low, topUps } = vendor;
  const topUpNames = { fund: t`from collected income`, push: t`by a prompt on the phone` };
  return (
    <Card title={<Trans>Settings</Trans>} more={<ChangeLow vendor={vendor} />}>
      <Facts
        facts={[
          { name: t`Sector`, value: sectors[settings.sector] },
          {
            name: t`Merchant reference`,
            value: names.referenceRequired[settings.referenceRequired ? 'true' : 'false'],
          },
          {
            name: t`Likely duplicates are refused for`,
            value: names.duplicateCheck[settings.duplicateCheck],
          },
          {
            name: t`A duplicate is likely within`,
            value: t`${settings.duplicateWindowSeconds} seconds`,
          },
          { name: t`Signature`, value: names.signature[settings.signature] },
          { name: t`Text of a status answer`, value: names.statusText[settings.statusText] },
          { name: t`Enquiries`, value: names.enquiryPolicy[settings.enquiryPolicy] },
          {
            name: t`Notified of a low float below`,
            value: low === null ? t`never` : <Money amount={low} currency />,
          },
          {
            name: t`Float is topped up`,
            value:
              topUps.length === 0 ? t`by hand` : topUps.map((kind) => topUpNames[kind]).join(', '),
          },
        ]}
      />
    </Card>
  );
}
