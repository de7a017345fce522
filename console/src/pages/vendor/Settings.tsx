import { Trans, useLingui } from '@lingui/react/macro';
import type { VendorView } from '../../../../src/staff/vendor-view.ts';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Money } from '../../format/Money.tsx';
import { ChangeLow } from './ChangeLow.tsx';
import { useSectors, useSettingNames } from './setting-names.ts';

/** How a vendor's requests are treated. */
export function Settings({ vendor }: { readonly vendor: VendorView }) {
  const { t } = useLingui();
  const sectors = useSectors();
  const names = useSettingNames();
  const { low, top_ups: topUps } = vendor;
  const topUpNames = { fund: t`from collected income`, push: t`by a prompt on the phone` };
  return (
    <Card title={<Trans>Settings</Trans>} more={<ChangeLow vendor={vendor} />}>
      <Facts
        facts={[
          { name: t`Sector`, value: sectors[vendor.sector] },
          {
            name: t`Merchant reference`,
            value: names.referenceRequired[vendor.reference_required ? 'true' : 'false'],
          },
          {
            name: t`Likely duplicates are refused for`,
            value: names.duplicateCheck[vendor.duplicate_check],
          },
          {
            name: t`A duplicate is likely within`,
            value: t`${vendor.duplicate_window_seconds} seconds`,
          },
          { name: t`Signature`, value: names.signature[vendor.signature] },
          { name: t`Text of a status answer`, value: names.statusText[vendor.status_text] },
          { name: t`Enquiries`, value: names.enquiryPolicy[vendor.enquiry_policy] },
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
